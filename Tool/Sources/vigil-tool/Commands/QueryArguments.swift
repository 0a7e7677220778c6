import ArgumentParser
import Vigil

/// The common arguments of all commands: a database, and a query with its values.
struct QueryArguments: ParsableArguments {
    @Argument(
        help:
            "The file of a database, which must exist, or the address of one on a server: postgres://user@host/name.",
        completion: .file())
    var database: String

    @Argument(help: "One statement that reads, with ? for each value.")
    var sql: String

    @Argument(
        help: ArgumentHelp(
            "The values for ?, in their order.",
            discussion: """
                12 and -1.5e3 are numbers, NULL is NULL, x'0aff' is a blob, anything else is text, and so is what \
                follows "text:". Numbers with leading zeros and integers of more than 64 bits are text.
                """))
    var value: [String] = []

    @OptionGroup var key: KeyArguments

    var query: Query {
        Query(sql: LeadingDashes.unmarked(sql), values: value.map { BoundValue(argument: $0).databaseValue })
    }

    func source() throws -> DatabaseSource { try key.source(database) }
}
