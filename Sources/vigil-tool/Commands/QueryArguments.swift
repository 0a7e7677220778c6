import ArgumentParser
import Foundation
import Vigil

/// The arguments that all commands share: a database, and a query with its values.
struct QueryArguments: ParsableArguments {
    @Argument(help: "The file of a database. It must exist.")
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

    @Option(
        name: .customLong("key-env"),
        help: ArgumentHelp(
            "The environment variable that holds the key of an encrypted database.",
            discussion: """
                A passphrase, or x'…' with the 64 or 96 hexadecimal digits of a raw key. VIGIL_SQLCIPHER_LIBRARY may \
                give the path of the libsqlcipher to use.
                """,
            valueName: "name"))
    var keyEnvironment: String?

    var query: Query {
        Query(sql: LeadingDashes.unmarked(sql), values: value.map { BoundValue(argument: $0).databaseValue })
    }

    func source(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> DatabaseSource
    {
        let key = try keyEnvironment.map { name in
            guard let key = environment[name] else {
                throw Failure("the environment variable \(name) is not set: it should hold the key")
            }
            return key
        }
        return DatabaseSource(
            path: database, key: key, cipherLibrary: environment["VIGIL_SQLCIPHER_LIBRARY"])
    }
}
