import ArgumentParser
import Vigil

struct PostgresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres",
        abstract: "Shows how precisely changes on a PostgreSQL server are reported, and how to improve it.",
        subcommands: [PostgresDoctorCommand.self, PostgresSetupCommand.self])
}

/// The arguments of the commands about publications.
struct PublicationArguments: ParsableArguments {
    @Argument(help: "The address of a database: postgres://user@host/name.")
    var database: String

    @Argument(help: "The tables, such as player or shop.player; by default, all of the search path.")
    var table: [String] = []

    @Option(help: "The name of the publication, as in Configuration.publication.")
    var publication = Configuration().publication

    func validate() throws {
        guard DatabaseSource.isServer(database) else {
            throw ValidationError("The database must be on a server: postgres://user@host/name.")
        }
    }

    /// Reads the server and the tables. Nothing is changed.
    func read() throws -> PublicationReport {
        let source = DatabaseSource(path: database, encryption: Encryption(key: nil, cipherLibrary: nil))
        let opened = try source.open()
        let report = Result {
            try opened.reader.read { db in
                PublicationReport(
                    server: try ServerSettings(db, publication: publication),
                    tables: try PublicationTable.fetchAll(db, publication: publication, names: table))
            }
        }
        try opened.close()
        return try report.get()
    }
}

struct PostgresDoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Prints what an observation knows of the changes of each table, and what would be better.",
        discussion: """
            Reads the catalog only, and changes nothing.

            EXAMPLE
              vigil postgres doctor postgres://app@db.example.com/shop player team
            """)

    @OptionGroup var arguments: PublicationArguments

    func run() throws {
        try Output.standard.write(arguments.read().doctor)
    }
}

struct PostgresSetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Prints the SQL that publishes the tables, for an administrator to run.",
        discussion: """
            Runs none of it. Tables whose updates the server would refuse are left out.

            EXAMPLE
              vigil postgres setup postgres://app@db.example.com/shop player team | psql shop
            """)

    @OptionGroup var arguments: PublicationArguments

    func run() throws { try Output.standard.write(arguments.read().setup) }
}
