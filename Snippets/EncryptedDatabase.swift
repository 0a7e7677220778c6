#if SQLCipher
    // Creates an encrypted database, and tries to open it with a wrong key.
    import Foundation
    import Vigil

    let path = NSTemporaryDirectory() + "\(UUID()).db"
    var configuration = Configuration()
    configuration.backend = SQLCipherBackend(key: .passphrase("correct horse battery staple"))
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE note (text TEXT)") }

    configuration.backend = SQLCipherBackend(key: .passphrase("correct pony battery staple"))
    do {
        _ = try DatabaseQueue(path: path, configuration: configuration)
    } catch {
        print(error)
    }
#endif
