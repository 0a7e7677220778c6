// Opens an encrypted and a plain database in one process. Requires the traits SQLite and SQLCipher.

// snippet.hide
import Foundation
// snippet.show
import Vigil

#if SQLite && SQLCipher
    // snippet.hide

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let secretPath = folder.appendingPathComponent("secret.db").path
    let plainPath = folder.appendingPathComponent("plain.db").path
    // snippet.show
    var configuration = Configuration()
    configuration.backend = SQLCipherBackend(key: .passphrase("correct horse battery staple"))
    let secret = try DatabaseQueue(path: secretPath, configuration: configuration)
    let plain = try DatabaseQueue(path: plainPath)

    for database in [secret, plain] {
        let version = try database.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
        print("on SQLite", version ?? "?")
    }
    // snippet.hide
    try secret.write { db in
        try db.execute(sql: "CREATE TABLE note (text TEXT)")
    }
    try secret.close()
    configuration.backend = SQLCipherBackend(key: .passphrase("wrong"))
    // snippet.show

    do {
        _ = try DatabaseQueue(path: secretPath, configuration: configuration)
    } catch let error as DatabaseError {
        print(error.extendedResultCode, error)  // with another key
    }
#endif
