// Creates an encrypted database, and opens it with a wrong key. Requires the trait SQLCipher.

// snippet.hide
import Foundation
// snippet.show
import Vigil

#if SQLCipher
    // snippet.hide
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("secret.db").path
    let secret = "correct horse battery staple"
    // snippet.show
    var configuration = Configuration()
    configuration.backend = SQLCipherBackend(key: .passphrase(secret))
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    // snippet.hide
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE note (text TEXT)") }
    try dbQueue.close()
    configuration.backend = SQLCipherBackend(key: .passphrase("correct pony battery staple"))
    // snippet.show

    do {
        _ = try DatabaseQueue(path: path, configuration: configuration)
    } catch let error as DatabaseError {
        print(error)  // The key does not open this file.
    }
// snippet.hide
#endif
