import Foundation
import Vigil

/// Where a database is, and how it is opened: never created.
struct DatabaseSource: Sendable {
    let path: String
    /// As ``Vigil/backend(key:cipherLibrary:)`` takes it.
    let key: String?
    let cipherLibrary: String?

    /// How long an access waits for another process that has locked the database.
    private static let lockTimeout: TimeInterval = 10

    /// Opens the database to be read, and notices what other processes commit.
    ///
    /// The connection itself may write: a database with a write-ahead log could not be opened otherwise. What it
    /// runs may not, see ``Query``.
    func open() throws -> DatabaseQueue {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw Failure("no such file: \(path)")
        }
        if isDirectory.boolValue { throw Failure("a directory, not a database: \(path)") }
        var configuration = Configuration()
        configuration.label = "vigil"
        configuration.busyMode = .timeout(Self.lockTimeout)
        configuration.foreignChanges = .observed
        configuration.backend = try backend(key: key, cipherLibrary: cipherLibrary)
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch DatabaseError.SQLITE_NOTADB where key == nil {
            throw Failure(
                "file is not a database, or it is encrypted, and then --key-env must tell its key: \(path)")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw Failure("\(error.message ?? error.description): \(path)")
        }
    }
}
