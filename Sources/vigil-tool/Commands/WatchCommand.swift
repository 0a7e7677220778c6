import ArgumentParser
import Vigil

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints the rows of a query, and prints them again whenever they change.",
        discussion: """
            Changes by any process that writes to the file are noticed. The database is opened read-only: it is \
            never created or written to. Ends with Ctrl-C, or with an error if the file is replaced or deleted.

            EXAMPLES
              vigil watch players.db "SELECT name, score FROM player WHERE team = ?" red
              vigil watch players.db "SELECT * FROM player" --format json | jq .rows
            """)

    @OptionGroup var arguments: QueryArguments

    @Option(
        help: ArgumentHelp(
            "How to print rows: table, json or csv.",
            discussion: """
                table: redrawn in place on a terminal, otherwise blocks separated by empty lines. json: one object \
                per line, {"n":0,"rows":[{…}]}, blobs as {"base64":"…"}. csv: RFC 4180, blocks separated by empty \
                lines, each with a header of column names; NULL is empty, empty text is "", blobs are x'…'.
                """))
    var format = OutputFormat.table

    @Option(help: "End after printing this many results.")
    var count: Int?

    @Option(
        name: .customLong("for"), help: ArgumentHelp("End after this many seconds.", valueName: "seconds"))
    var duration: Double?

    @Flag(name: .customLong("no-initial"), help: "Print only changes, not the initial rows.")
    var skipsInitial = false

    @Flag(
        help: ArgumentHelp(
            "Open the file again if it is replaced or deleted.",
            discussion: """
                If the file was deleted, waits until it exists. Until rows are read again, errors are reported, and \
                the file is opened again after each of them. The same applies while a transaction of a process that \
                died must be rolled back by a program that can write to the file.
                """))
    var retry = false

    func validate() throws {
        if let count, count <= 0 { throw ValidationError("--count must be greater than 0.") }
        if let duration, !(duration > 0 && duration.isFinite) {
            throw ValidationError("--for must be greater than 0.")
        }
    }

    func run() throws {
        let source = try arguments.source()
        var loop = WatchLoop(
            watch: DatabaseWatch(source: source, query: arguments.query, retries: retry),
            presenter: format.presenter(sql: arguments.sql),
            progress: WatchProgress(printsInitial: !skipsInitial, limit: count), duration: duration)
        try loop.run()
    }
}
