import ArgumentParser
import Foundation
import Vigil

struct CipherCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cipher",
        abstract: "Encrypts, decrypts and checks databases.",
        discussion:
            "Keys are read from files, variables, the standard input or the terminal, never from arguments.",
        subcommands: [CipherExportCommand.self, CipherRekeyCommand.self, CipherCheckCommand.self])
}

struct CipherExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Writes a copy of a database that is encrypted with another key, with other settings, or not at all.",
        discussion: """
            The copy appears under its name once it is complete. The database is opened read-only.

            EXAMPLES
              vigil cipher export plain.db encrypted.db --new-key-file key.txt
              vigil cipher export encrypted.db plain.db --key-file key.txt --plain
              vigil cipher export old.db new.db --key-file key.txt --compatibility 3 --new-key-file key.txt
            """)

    @Argument(help: "The file of the database.", completion: .file()) var database: String
    @Argument(help: "The file to write.", completion: .file()) var destination: String
    @OptionGroup var key: KeyArguments
    @OptionGroup var newKey: NewKeyArguments

    @Flag(help: "Writes a database that is not encrypted.") var plain = false
    @Flag(help: "Replaces the destination if it exists. No program may have it open.") var replace = false

    @Option(
        name: .customLong("new-compatibility"),
        help: ArgumentHelp(
            "The major version of SQLCipher that opens the copy, 1 to 4.", valueName: "version"))
    var newCompatibility: Int?

    @Option(
        name: .customLong("new-page-size"),
        help: ArgumentHelp("The size of a page of the copy.", valueName: "bytes"))
    var newPageSize: Int?

    @Option(
        name: .customLong("new-kdf-iterations"),
        help: ArgumentHelp("The iterations that derive the key of the copy.", valueName: "number"))
    var newIterations: Int?

    func validate() throws {
        guard plain else { return }
        guard newKey.count == 0, newCompatibility == nil, newPageSize == nil, newIterations == nil else {
            throw ValidationError("--plain excludes the options for a new key and its settings.")
        }
    }

    func run() throws {
        try Encryption.require()
        let source = try key.source(database)
        var encryption = Encryption(
            key: plain ? nil : try newKey.read(), cipherLibrary: KeyArguments.cipherLibrary)
        encryption.compatibility = newCompatibility
        encryption.pageSize = newPageSize
        encryption.kdfIterations = newIterations
        var configuration = Configuration()
        configuration.backend = try encryption.backend()
        let opened = try source.openFile()
        let display = ProgressLine()
        let result = Result {
            try opened.reader.export(
                to: destination, configuration: configuration, replacesFile: replace
            ) { try display.show($0) }
        }
        display.end()
        try opened.close()
        try result.get()
    }
}

struct CipherRekeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Encrypts an encrypted database with another key.",
        discussion: """
            Rewrites the file in one transaction. No other program may have it open.

            EXAMPLE
              vigil cipher rekey encrypted.db --key-file old.txt --new-key-file new.txt
            """)

    @Argument(help: "The file of the database.", completion: .file()) var database: String
    @OptionGroup var key: KeyArguments
    @OptionGroup var newKey: NewKeyArguments

    func run() throws {
        try Encryption.require()
        let dbQueue = try key.source(database).openForWriting()
        let result = Result {
            guard try dbQueue.read({ try Encryption.description(of: $0) }) != nil else {
                throw Failure("the database is not encrypted: use vigil cipher export")
            }
            try Encryption.changeKey(of: dbQueue, to: newKey.read())
        }
        try dbQueue.close()
        try result.get()
    }
}

struct CipherCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks an encrypted database.",
        discussion: """
            Checks that each page is as it was written, which needs SQLCipher 4, and then the content. Prints one line \
            for each problem. The exit status is 1 if there are any, and 2 if there are no problems but the library cannot check \
            the pages.
            """)

    @Argument(help: "The file of the database.", completion: .file()) var database: String
    @OptionGroup var key: KeyArguments

    func run() throws {
        try Encryption.require()
        let opened = try key.source(database).openFile()
        let result = Result { try opened.reader.read(Self.report) }
        try opened.close()
        let report = try result.get()
        // A closed output does not change the status of the check.
        let output = Result {
            try Output.standard.write(report.lines.map { TerminalText.safe($0) + "\n" }.joined())
        }
        if report.isDamaged { throw Failure("the database is damaged: \(database)") }
        if !report.checksPages {
            throw Failure(
                "the pages were not checked, which needs SQLCipher 4: VIGIL_SQLCIPHER_LIBRARY may give its path",
                status: 2)
        }
        try output.get()
    }

    private static func report(_ db: Database) throws -> (
        lines: [String], isDamaged: Bool, checksPages: Bool
    ) {
        guard let description = try Encryption.description(of: db) else {
            throw Failure("the database is not encrypted")
        }
        var lines = ["library: \(description)"]
        let found = try Encryption.damagedPages(db)
        let damage = found ?? []
        if found == nil {
            lines.append("pages: not checked, because the library is older than SQLCipher 4")
        } else {
            lines.append("pages: \(damage.isEmpty ? "ok" : "\(damage.count) damaged")")
        }
        lines += damage
        // A damaged page ends the check of the content with an error.
        let content = damage.isEmpty ? try String.fetchAll(db, sql: "PRAGMA integrity_check") : []
        if damage.isEmpty { lines.append("content: \(content == ["ok"] ? "ok" : "damaged")") }
        if content != ["ok"] { lines += content }
        return (lines, !damage.isEmpty || content != ["ok"], found != nil)
    }
}

private struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1

    func show(_ progress: DatabaseExportProgress) throws {
        guard isShown else { return }
        try Output.standardError.write("\r\(progress.completedRowCount) of \(progress.totalRowCount) rows")
    }

    func end() {
        if isShown { try? Output.standardError.write("\n") }
    }
}
