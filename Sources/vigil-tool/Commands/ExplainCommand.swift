import ArgumentParser
import Vigil

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Prints what a query is observed by: its tables, columns and rows.",
        discussion: """
            A change of anything else is no change for the query. The query is compiled, not run.

            EXAMPLE
              vigil explain players.db "SELECT name FROM player WHERE team = ?" red
            """)

    @OptionGroup var arguments: QueryArguments

    @Flag(help: "Prints one JSON object.")
    var json = false

    func run() throws {
        let query = arguments.query
        let dbQueue = try arguments.source().open()
        let region = try dbQueue.read { db in try query.statement(db).observedRegion(db) }
        try dbQueue.close()
        let report = RegionReport(region)
        try Output.standard.write((json ? report.json : report.text) + "\n")
    }
}
