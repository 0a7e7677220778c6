import Foundation
import Vigil

/// Where a database is, and how it is opened: to be read, and never created.
struct DatabaseSource: Sendable {
    let path: String
    /// As ``Vigil/backend(key:cipherLibrary:)`` takes it.
    let key: String?
    let cipherLibrary: String?

    /// How long an access waits for another process that has locked the database.
    private static let lockTimeout: TimeInterval = 10

    /// Opens the database to be read. Commits of other processes are noticed.
    func open() throws -> OpenedDatabase {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw Failure("no such file: \(path)")
        }
        if isDirectory.boolValue { throw Failure("a directory, not a database: \(path)") }
        var configuration = Configuration()
        configuration.label = "vigil"
        configuration.readonly = true
        configuration.busyMode = .timeout(Self.lockTimeout)
        configuration.foreignChanges = .observed
        configuration.backend = try backend(key: key, cipherLibrary: cipherLibrary)
        let log = LogFile(ofDatabase: path)
        do {
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
            return OpenedDatabase(dbQueue: dbQueue, log: log)
        } catch DatabaseError.SQLITE_NOTADB where key == nil {
            throw Failure(
                "file is not a database, or it is encrypted and requires --key-env: \(path)")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw Failure("\(error.message ?? error.description): \(path)")
        }
    }
}

/// A database that was opened to be read.
struct OpenedDatabase: Sendable {
    let dbQueue: DatabaseQueue
    fileprivate let log: LogFile

    /// Closes the database, and leaves the files beside it as they were.
    func close() throws {
        try dbQueue.close()
        log.removeIfCreated(dbQueue)
    }
}

/// The `-wal` file of a database.
///
/// SQLite creates it, and a `-shm` file, to read a database in WAL mode that no other process has open. The connection that closes
/// last removes both, but not if it is read-only.
private struct LogFile: Sendable {
    private let path: String
    private let existedBefore: Bool

    /// Call before the database is opened.
    init(ofDatabase path: String) {
        // SQLite keeps it beside the file that a symbolic link leads to.
        let resolved = realpath(path, nil)
        self.path = (resolved.map { String(cString: $0) } ?? path) + "-wal"
        free(resolved)
        existedBefore = Self.size(self.path) != nil
    }

    /// Removes the log if it did not exist before the database was opened, and holds nothing. A connection with write access does
    /// that, which follows SQLite's locking: nothing happens if another process uses the log.
    func removeIfCreated(_ dbQueue: DatabaseQueue) {
        guard !existedBefore, Self.size(path) == 0 else { return }
        var options = StorageOptions()
        options.access = .readWrite
        // An empty log does no harm if this fails.
        guard let backend = try? dbQueue.configuration.backend ?? defaultBackend() else { return }
        let connection = try? backend.open(.file(path: dbQueue.path), options: options)
        try? connection?.close()
    }

    /// `nil` if there is no such file.
    private static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}
