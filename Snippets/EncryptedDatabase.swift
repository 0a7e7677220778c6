#if SQLCipher
    // Opens an encrypted and a plain database in one process, and the encrypted one with a wrong key.
    import Foundation
    import Vigil

    let path = NSTemporaryDirectory() + "\(UUID()).db"
    var configuration = Configuration()
    configuration.backend = SQLCipherBackend(key: .passphrase("correct horse battery staple"))

    let secret = try DatabaseQueue(path: path, configuration: configuration)
    try secret.write { db in
        try db.execute(sql: "CREATE TABLE note (text TEXT)")
    }
    let plain = try DatabaseQueue()
    for database in [secret, plain] {
        let tables = try database.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master")
        }
        print("tables:", tables)
    }
    try secret.close()

    configuration.backend = SQLCipherBackend(key: .passphrase("correct pony battery staple"))
    do {
        _ = try DatabaseQueue(path: path, configuration: configuration)
    } catch {
        print(error)
    }
#endif
