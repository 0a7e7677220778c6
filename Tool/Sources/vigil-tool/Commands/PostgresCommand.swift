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
        let reader = try openReader()
        let report = Result {
            try reader.read { db in
                PublicationReport(
                    server: try ServerSettings(db, publication: publication),
                    tables: try PublicationTable.fetchAll(db, publication: publication, names: table))
            }
        }
        try reader.close()
        return try report.get()
    }

    private func openReader() throws -> any DatabaseReader {
        #if PostgreSQL
            var configuration = Configuration()
            configuration.label = "vigil"
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
            configuration.backend = CatalogBackend()
            return try DatabasePool(server: database, configuration: configuration)
        #else
            // This build opens no server, and the error says so.
            return try DatabaseSource(path: database, encryption: Encryption(key: nil, cipherLibrary: nil))
                .open()
                .reader
        #endif
    }
}

#if PostgreSQL
    /// A server without the feed of its commits, so that the report does not count a slot of the tool.
    private struct CatalogBackend: StorageBackend {
        private let server = PostgresBackend()
        var name: String { server.name }

        func open(
            _ location: StorageLocation, options: StorageOptions
        ) throws(StorageError) -> any StorageConnection {
            try server.open(location, options: options)
        }
    }
#endif

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
