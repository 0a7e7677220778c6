import ArgumentParser
import Vigil

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Prints the tables, columns and rows that an observation of a query depends on.",
        discussion: """
            Other changes do not affect the query. The query is compiled, not \
            run. Conditions in its text that are certain restrict the rows. The \
            other ones are listed as left out, with the reason. The line that begins with "list" is about \
            observations of the rows as a list: after changes of which tables only the changed rows are fetched.

            EXAMPLE
              vigil explain players.db "SELECT name FROM player WHERE team = ?" red
            """)

    @OptionGroup var arguments: QueryArguments

    @Flag(help: "Prints one JSON object.")
    var json = false

    func run() throws {
        let query = arguments.query
        let source = try arguments.source()
        let database = try source.open()
        database.waitForFeed()
        let report = Result {
            RegionReport(try database.reader.read { db in try query.explanation(db) })
        }
        try database.close()
        try Output.standard.write((json ? report.get().json : report.get().text) + "\n")
    }
}
