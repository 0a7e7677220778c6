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
        name: .customLong("for"),
        help: ArgumentHelp(
            "End after this many seconds.", valueName: "seconds"))
    var duration: Double?

    @Flag(name: .customLong("no-initial"), help: "Print only changes, not the initial rows.")
    var skipsInitial = false

    @Flag(help: "Print the time of each result: ISO 8601, in UTC.")
    var timestamps = false

    @Flag(
        help: ArgumentHelp(
            "Print only the rows that changed since the last result.",
            discussion: """
                table and csv: in the column "change", - marks the old rows and + the new ones. json: "deleted" \
                and "inserted" instead of "rows". Tables are not redrawn in place. All initial rows are new. The order of \
                rows does not matter. If the columns change, all rows are new.
                """))
    var diff = false

    @Flag(
        help: ArgumentHelp(
            "With --format json: print the difference to the last list of rows.",
            discussion: """
                The first object has all rows, the others {"n":1,"removed":[2],"moved":[{"from":5,"to":0}],\
                "inserted":[{"at":3,"row":{…}}],"updated":[{"at":0,"row":{…}}]}: remove the rows at "removed" and \
                "from", then insert the others by ascending "at" and "to", and replace the updated ones. "removed" and \
                "from" count in the last list, the others in the new one.
                """))
    var patches = false

    @Flag(
        help: ArgumentHelp(
            "Open the file again if it is replaced or deleted.",
            discussion: """
                If the file was deleted, waits until it exists. Until rows are read again, errors are reported, and \
                the file is opened again after each of them. The same applies while a transaction of a process that \
                died must be rolled back by a program that can write to the file.
                """))
    var retry = false

    @Flag(
        help: ArgumentHelp(
            "Print to standard error what the observation does.",
            discussion: """
                Each commit that modifies what the query reads, and its first change there; each fetch and its \
                duration; whether the changes of commits are known, and if not, the reason. Tables are not redrawn \
                in place.
                """))
    var verbose = false

    func validate() throws {
        if let count, count <= 0 { throw ValidationError("--count must be greater than 0.") }
        if let duration, !(duration > 0 && duration.isFinite) {
            throw ValidationError("--for must be greater than 0.")
        }
        if patches, format != .json {
            throw ValidationError("--patches needs --format json.")
        }
        if patches, diff { throw ValidationError("--patches and --diff exclude each other.") }
    }

    func run() throws {
        var source = try arguments.source()
        source.isVerbose = verbose
        var loop = WatchLoop(
            watch: DatabaseWatch(
                source: source, query: arguments.query, retries: retry, observesList: patches),
            presenter: format.presenter(sql: arguments.query.sql, redraws: !diff && !verbose),
            progress: WatchProgress(printsInitial: !skipsInitial, limit: count, ignoresOrder: diff),
            options: .init(
                duration: duration, hasTimestamps: timestamps, showsChanges: diff))
        try loop.run()
    }
}
