// Creates an encrypted database, changes its key, and chooses libraries. Requires the trait SQLCipher.

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
    func readKeyFromKeychain() -> String { secret }
    // snippet.show
    var configuration = Configuration()
    configuration.backend = SQLCipherBackend(key: .passphrase(secret))
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    // snippet.hide
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE note (text TEXT)") }
    try dbQueue.close()
    // snippet.show

    // The key is read whenever a connection opens. The configuration does not contain it.
    var lateConfiguration = Configuration()
    lateConfiguration.backend = SQLCipherBackend()
    lateConfiguration.prepareDatabase { db in
        try db.usePassphrase(readKeyFromKeychain())
    }
    let lateQueue = try DatabaseQueue(path: path, configuration: lateConfiguration)

    try lateQueue.writeWithoutTransaction { db in
        try db.changePassphrase("correct horse battery staple 2")
    }
    // snippet.hide
    try lateQueue.close()
    // snippet.show

    do {
        _ = try DatabaseQueue(path: path, configuration: configuration)
    } catch let error as DatabaseError {
        print(error)  // The key does not open this file.
    }

    // Another build of SQLCipher, instead of the system's.
    let newer = SQLCipherBackend(
        key: .passphrase(secret), library: .path("/opt/sqlcipher/lib/libsqlcipher.so"))
    // snippet.hide
    _ = newer
#endif
