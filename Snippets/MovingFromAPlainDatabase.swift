// Encrypts a plain database, and converts encrypted ones. Requires the trait SQLCipher.

// snippet.hide
import Foundation
// snippet.show
import Vigil

#if SQLCipher
    // snippet.hide
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("notes.db").path
    let copyPath = folder.appendingPathComponent("copy.db").path
    let secret = "correct horse battery staple"
    func readPassphrase() -> String { secret }
    func show(_ fraction: Double) { print(fraction) }
    let plain = try DatabaseQueue(path: path)
    try plain.write { db in try db.execute(sql: "CREATE TABLE note (text TEXT)") }
    try plain.close()
    // snippet.show
    var encrypted = Configuration()
    encrypted.backend = SQLCipherBackend(key: .passphrase(secret))

    /// Opens the database, and encrypts it first if it is still plain.
    func openDatabase(_ path: String, _ encrypted: Configuration) throws -> DatabasePool {
        do {
            return try DatabasePool(path: path, configuration: encrypted)
        } catch DatabaseError.NOT_ENCRYPTED {
            try DatabaseQueue.convert(path, from: Configuration(), to: encrypted)
            return try DatabasePool(path: path, configuration: encrypted)
        }
    }
    // snippet.hide
    let dbPool = try openDatabase(path, encrypted)
    // snippet.show

    // A copy for another person, with another key. The database stays open.
    var other = Configuration()
    other.backend = SQLCipherBackend(key: .passphrase("another passphrase"))
    try dbPool.export(to: copyPath, configuration: other)

    // snippet.hide
    try dbPool.close()
    // snippet.show
    // Without encryption.
    try DatabaseQueue.convert(path, from: encrypted, to: Configuration())

    try DatabaseQueue.convert(path, from: Configuration(), to: encrypted) { progress in
        try Task.checkCancellation()
        show(Double(progress.completedRowCount) / Double(max(1, progress.totalRowCount)))
    }

    // A file that SQLCipher 3 may have created, converted to the format of SQLCipher 4.
    let backend = SQLCipherBackend(key: .passphrase(secret))
    try backend.migrate(path, from: 3)

    // The same file, without conversion.
    let older = SQLCipherBackend(
        key: .passphrase(secret), settings: CipherSettings(compatibility: 3))

    // snippet.hide
    _ = older
    // snippet.show
    // The passphrase is read whenever a connection opens.
    var configuration = Configuration()
    configuration.backend = SQLCipherBackend()
    configuration.prepareDatabase { db in
        try db.usePassphrase(readPassphrase())
    }
    // snippet.hide
    try DatabaseQueue(path: path, configuration: configuration).close()
#endif
