import Foundation
import Logging
import Vigil

/// The location of a database, and how it is opened: read-only, and never created.
struct DatabaseSource: Sendable {
    /// The path of a file, or the address of a database on a server, perhaps with a password.
    let path: String
    let encryption: Encryption

    var isServer: Bool { Self.isServer(path) }

    /// Returns whether an argument is the address of a database on a PostgreSQL server.
    static func isServer(_ argument: String) -> Bool {
        ["postgres://", "postgresql://"].contains { argument.hasPrefix($0) }
    }

    /// Whether the observations of the database are logged to standard error.
    var isVerbose = false

    /// Reports a wait of a second for a lock. Called on any thread.
    var didWait: @Sendable (_ note: String) -> Void = { Output.note($0) }

    init(path: String, encryption: Encryption) {
        self.path = path
        self.encryption = encryption
    }

    /// The longest wait, in seconds, for a lock held by another process.
    private static let lockTimeout: TimeInterval = 10
    /// The time in seconds before a wait is reported.
    private static let timeToNote: TimeInterval = 1

    /// Waits for locks of other processes, and reports a long wait.
    private var busyMode: Database.BusyMode {
        let note =
            "waiting for up to \(Int(Self.lockTimeout)) seconds, because another process holds an exclusive lock on \(path)"
        return .timeout(Self.lockTimeout, longTime: Self.timeToNote) { [didWait] in didWait(note) }
    }

    /// Opens the database read-only. Commits by other processes are observed.
    ///
    /// - Parameter mayHaveCreatedLog: Whether an earlier call may have created an existing log file.
    /// - Throws: `Failure` if the path does not name a database that can be decrypted, `DatabaseError` if
    ///   opening it fails for another reason.
    func open(mayHaveCreatedLog: Bool = false) throws -> OpenedDatabase {
        if isServer { return OpenedDatabase(reader: try openPool(), log: nil) }
        let log = LogFile(ofDatabase: path, mayHaveBeenCreated: mayHaveCreatedLog)
        return OpenedDatabase(reader: try openQueue(isReadOnly: true), log: log)
    }

    /// Opens the database of a file read-only, for the commands of encryption.
    ///
    /// - Throws: as ``open(mayHaveCreatedLog:)``; `Failure` if the database is on a server.
    func openFile() throws -> OpenedDatabase {
        if isServer { throw Failure.onlyFilesAreEncrypted }
        return try open()
    }

    private func openPool() throws -> DatabasePool {
        var configuration = labeledConfiguration(isReadOnly: true)
        configuration.busyMode = .timeout(Self.lockTimeout)
        #if PostgreSQL
            return try DatabasePool(server: path, configuration: configuration)
        #else
            throw Failure(
                """
                this build of vigil has no PostgreSQL: \
                build it with `swift build --package-path Tool --traits SQLite,PostgreSQL`
                """)
        #endif
    }

    /// Opens the database for writing. It must exist.
    ///
    /// - Throws: as ``open(mayHaveCreatedLog:)``.
    func openForWriting() throws -> DatabaseQueue {
        if isServer { throw Failure.onlyFilesAreEncrypted }
        return try openQueue(isReadOnly: false)
    }

    /// Returns whether the file may be encrypted: it cannot be read without a key.
    func needsKey() -> Bool {
        guard !isServer, encryption.key == nil, Encryption.isAvailable, (try? checkFile()) != nil
        else {
            return false
        }
        do {
            let log = LogFile(ofDatabase: path, mayHaveBeenCreated: false)
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: true))
            try OpenedDatabase(reader: dbQueue, log: log).close()
            return false
        } catch DatabaseError.SQLITE_NOTADB {
            return true
        } catch {
            // Opening the file for use reports the error.
            return false
        }
    }

    private func checkFile() throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw Failure("no such file: \(path)")
        }
        if isDirectory.boolValue { throw Failure("a directory, not a database: \(path)") }
    }

    private func labeledConfiguration(isReadOnly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.label = "vigil"
        configuration.readonly = isReadOnly
        if isVerbose { configuration.logger = Logger(label: "vigil") { _ in NoteLogHandler() } }
        return configuration
    }

    private func configuration(isReadOnly: Bool) throws -> Configuration {
        var configuration = labeledConfiguration(isReadOnly: isReadOnly)
        configuration.busyMode = busyMode
        if isReadOnly { configuration.foreignChanges = .observed }
        configuration.backend = try encryption.backend()
        return configuration
    }

    private func openQueue(isReadOnly: Bool) throws -> DatabaseQueue {
        try checkFile()
        do {
            return try DatabaseQueue(path: path, configuration: configuration(isReadOnly: isReadOnly))
        } catch DatabaseError.SQLITE_NOTADB where encryption.key == nil {
            throw Failure(
                "file is not a database, or it is encrypted and requires a key (see --help): \(path)")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw Failure("\(error.message ?? error.description): \(path)")
        }
    }
}

struct OpenedDatabase: Sendable {
    let reader: any DatabaseReader
    /// The log of a file; `nil` for a database on a server.
    fileprivate let log: LogFile?

    /// Whether opening the database may have created its log file.
    var mayHaveCreatedLog: Bool { log?.mayHaveBeenCreated ?? false }

    /// The longest wait for the stream of a server's changes, in seconds.
    private static let feedTimeout: TimeInterval = 12

    /// Waits until it is known how precisely a server reports changes. Does nothing for a file.
    func waitForFeed() {
        _ = (reader as? DatabasePool)?.feedState(timeout: Self.feedTimeout)
    }

    /// Closes the database.
    ///
    /// - Parameter removesLog: Whether to remove the log file if opening the database created it. Pass
    ///   `false` if the database file is being replaced: the log file may then belong to the new database.
    func close(removesLog: Bool = true) throws {
        try reader.close()
        if removesLog { log?.removeIfCreated(reader) }
    }
}

/// The `-wal` file of a database.
///
/// SQLite creates it, and a `-shm` file, to read a database in WAL mode without other users. The last
/// connection to close removes both, unless it is read-only.
private struct LogFile: Sendable {
    private let path: String
    /// The database file at the time of opening; `nil` if it did not exist.
    private let database: FileIdentity?
    /// Whether opening the database may have created the log, because it did not exist before.
    let mayHaveBeenCreated: Bool

    /// Records whether the log file exists. Call this before the database is opened.
    init(ofDatabase path: String, mayHaveBeenCreated: Bool) {
        // SQLite creates the log next to the target of a symbolic link.
        let resolved = realpath(path, nil)
        self.path = (resolved.map { String(cString: $0) } ?? path) + "-wal"
        free(resolved)
        database = FileIdentity(path: path)
        self.mayHaveBeenCreated = mayHaveBeenCreated || Self.size(self.path) == nil
    }

    /// Removes the log if it is empty and did not exist before the database was opened.
    ///
    /// To remove it, a connection with write access is opened and closed. SQLite's locks are respected: a log
    /// that another process uses is not removed. Such a connection would create a deleted database, so the
    /// log remains if the database file was deleted, moved or replaced.
    func removeIfCreated(_ reader: any DatabaseReader) {
        guard mayHaveBeenCreated, Self.size(path) == 0, let database,
            FileIdentity(path: reader.path) == database
        else { return }
        var configuration = reader.configuration
        configuration.readonly = false
        configuration.busyMode = .immediateError
        configuration.foreignChanges = .ignored
        // An empty log is harmless if this fails.
        try? DatabaseQueue(path: reader.path, configuration: configuration).close()
    }

    /// Returns the size of a file in bytes, or `nil` if it does not exist.
    private static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}

/// The device and inode of a file.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    /// Reads the identity of the file at a path, or returns `nil` if it does not exist.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }
}
