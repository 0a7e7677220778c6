// Generates, stores, reads and changes the keys of encrypted databases. Requires the trait SQLCipher.

import Foundation
import Vigil

#if canImport(Security)
    import Security
#endif

#if SQLCipher
    // snippet.hide
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("notes.db").path
    let secret = "correct horse battery staple"
    // snippet.show
    /// Returns 32 random bytes.
    func newKey() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    #if canImport(Security)
        /// The key of the database, in the keychain.
        struct KeychainKey: Sendable {
            struct Failure: Error {
                let status: OSStatus
            }

            let service: String
            let account: String

            private var query: [String: Any] {
                [
                    kSecClass as String: kSecClassGenericPassword,
                    kSecAttrService as String: service,
                    kSecAttrAccount as String: account,
                    kSecUseDataProtectionKeychain as String: true,
                ]
            }

            /// Returns the key.
            ///
            /// - Throws: `Failure`, with `errSecItemNotFound` if the key does not exist, and with
            ///   `errSecInteractionNotAllowed` if the keychain is locked.
            func read() throws -> CipherKey {
                var query = query
                query[kSecReturnData as String] = true
                var result: CFTypeRef?
                let status = SecItemCopyMatching(query as CFDictionary, &result)
                guard status == errSecSuccess, let data = result as? Data else {
                    throw Failure(status: status)
                }
                return .raw([UInt8](data))
            }

            /// Stores a new key, unless there is one.
            func create() throws {
                var attributes = query
                attributes[kSecValueData as String] = Data(newKey())
                attributes[kSecAttrAccessible as String] =
                    kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                let status = SecItemAdd(attributes as CFDictionary, nil)
                guard status == errSecSuccess || status == errSecDuplicateItem else {
                    throw Failure(status: status)
                }
            }
        }

        /// Opens the database, and creates its key if the file does not exist.
        func openDatabase(_ path: String) throws -> DatabasePool {
            let key = KeychainKey(service: "com.example.notes", account: "database")
            if !FileManager.default.fileExists(atPath: path) { try key.create() }
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend { try key.read() }
            return try DatabasePool(path: path, configuration: configuration)
        }
    #endif

    /// Reads the key of a server: 32 bytes in the file `database-key`.
    func readKey() throws -> CipherKey {
        let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? "/etc/notes"
        var data = try Data(contentsOf: URL(fileURLWithPath: folder + "/database-key"))
        defer { data.resetBytes(in: data.startIndex..<data.endIndex) }
        return .raw([UInt8](data))
    }

    // snippet.hide
    try Data(newKey()).write(to: folder.appendingPathComponent("database-key"))
    setenv("CREDENTIALS_DIRECTORY", folder.path, 1)
    // snippet.show
    // The key is read whenever a connection opens.
    var configuration = Configuration()
    configuration.backend = SQLCipherBackend { try readKey() }
    let dbPool = try DatabasePool(path: path, configuration: configuration)

    // snippet.hide
    try dbPool.write { db in try db.execute(sql: "CREATE TABLE note (text TEXT)") }
    let nextKey = newKey()
    // snippet.show
    // Observations and later reads continue with the new key.
    try dbPool.changeKey(to: .raw(nextKey))

    // snippet.hide
    let count = try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") }
    print("notes:", count ?? -1)
    try dbPool.close()
    let salt = Array(newKey().prefix(16))
    // snippet.show
    // The first 32 bytes of the file are not encrypted. The salt is stored with the key.
    let shared = SQLCipherBackend(
        key: .raw(nextKey, salt: salt),
        settings: CipherSettings(plaintextHeader: .init(salt: nil)))
    // snippet.hide
    _ = shared
#endif
