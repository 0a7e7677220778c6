import ArgumentParser
import Vigil

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Prints what a query is observed by: its tables, columns and rows.",
        discussion: """
            A change of anything else is no change for the query. The query is \
            compiled, not run. What its text says of rows is used where that is \
            certain; the rest is left out, with the reason.

            EXAMPLE
              vigil explain players.db "SELECT name FROM player WHERE team = ?" red
            """)

    @OptionGroup var arguments: QueryArguments

    @Flag(help: "Prints one JSON object.")
    var json = false

    func run() throws {
        let query = arguments.query
        let database = try arguments.source().open()
        let report = Result {
            try database.dbQueue.read { db in
                RegionReport(try query.statement(db).observedRegion(db), try query.conditions(db))
            }
        }
        try database.close()
        try Output.standard.write((json ? report.get().json : report.get().text) + "\n")
    }
}
