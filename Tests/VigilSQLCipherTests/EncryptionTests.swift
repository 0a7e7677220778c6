#if SQLCipher
    import Foundation
    import VigilSQLCipher
    import VigilSQLite
    import VigilStorage
    import XCTest

    final class EncryptionTests: XCTestCase {
        private func open(
            _ path: String, _ key: CipherKey?, access: StorageOptions.Access = .create
        ) throws -> any StorageConnection {
            var options = StorageOptions()
            options.access = access
            return try SQLCipherBackend(key: key, library: .underTest).open(
                .file(path: path), options: options)
        }

        private func code(_ body: () throws -> Void) -> StorageError.Code? {
            do {
                try body()
                return nil
            } catch {
                return (error as? StorageError)?.code
            }
        }

        func testTheFileIsEncryptedAndOpensWithItsKeyOnly() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("secret")
            let connection = try open(path, .passphrase("right"))
            XCTAssertNotNil(connection.capabilities.cipherVersion)
            try connection.run("CREATE TABLE t(a); INSERT INTO t VALUES ('visible text')")
            try connection.close()

            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            XCTAssertNil(bytes.range(of: Data("visible text".utf8)))
            XCTAssertNil(bytes.range(of: Data("SQLite format 3".utf8)))

            XCTAssertEqual(code { _ = try open(path, .passphrase("wrong")) }, .wrongKey)
            XCTAssertEqual(code { _ = try open(path, nil) }, .notADatabase)
            let again = try open(path, .passphrase("right"), access: .readWrite)
            XCTAssertEqual(try again.run("SELECT a FROM t"), [[.text("visible text")]])
        }

        func testARawKeyReopensItsDatabase() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("raw")
            let key = CipherKey.raw((0..<32).map { UInt8($0) })
            let connection = try open(path, key)
            try connection.run("CREATE TABLE t(a)")
            try connection.close()
            XCTAssertEqual(code { _ = try open(path, .raw([UInt8](repeating: 7, count: 32))) }, .wrongKey)
            XCTAssertEqual(try open(path, key).run("SELECT COUNT(*) FROM t"), [[.integer(0)]])
        }

        func testAPassphraseDoesNotEndAtANullCharacter() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("null")
            let connection = try open(path, .passphrase("a\0b"))
            try connection.run("CREATE TABLE t(a)")
            try connection.close()
            for key in ["a", "a\0", "a\0c"] {
                XCTAssertEqual(code { _ = try open(path, .passphrase(key)) }, .wrongKey, key.debugDescription)
            }
            XCTAssertEqual(try open(path, .passphrase("a\0b")).run("SELECT COUNT(*) FROM t"), [[.integer(0)]])
        }

        func testInvalidKeysAreRefused() throws {
            let directory = try TemporaryDirectory()
            for key in [CipherKey.passphrase(""), .raw([]), .raw([1, 2, 3])] {
                XCTAssertEqual(code { _ = try open(directory.file("none"), key) }, .misuse)
            }
        }

        func testAKeyForAPlainFileIsRefusedAndLeavesTheFileUnchanged() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("plain")
            let plain = try open(path, nil)
            try plain.run("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            try plain.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            XCTAssertEqual(code { _ = try open(path, .passphrase("key")) }, .notEncrypted)
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), before)
        }

        func testDescriptionsDoNotContainTheKey() {
            let key = CipherKey.passphrase("hunter2")
            var dumped = ""
            dump(key, to: &dumped)
            dump(SQLCipherBackend(key: key), to: &dumped)
            XCTAssertFalse("\(key) \(String(reflecting: key)) \(dumped)".contains("hunter2"), dumped)
        }

        func testTheErrorOfAMissingLibrarySuggestsAnInstallation() {
            let backend = SQLCipherBackend(
                key: .passphrase("key"), library: .path("/nowhere/libsqlcipher.so"))
            XCTAssertThrowsError(try backend.open(.memory(name: nil), options: StorageOptions())) { error in
                let error = error as? StorageError
                XCTAssertEqual(error?.code, .libraryUnavailable)
                XCTAssertTrue(error?.message.contains("install") == true, "\(error as Any)")
                XCTAssertTrue(error?.message.contains("/nowhere/libsqlcipher.so") == true, "\(error as Any)")
            }
        }

        #if SQLite
            func testBothLibrariesWorkInOneProcess() throws {
                let directory = try TemporaryDirectory()
                let plain = try SQLiteBackend().open(
                    .file(path: directory.file("plain")), options: StorageOptions())
                let secret = try open(directory.file("secret"), .passphrase("key"))
                for connection in [plain, secret] {
                    try connection.run("CREATE TABLE t(a); INSERT INTO t VALUES (sqlite_version())")
                    XCTAssertEqual(
                        try connection.run("SELECT a FROM t"),
                        [[.text(connection.capabilities.libraryVersion)]])
                }
                XCTAssertEqual(try plain.run("PRAGMA cipher_version"), [])
                XCTAssertEqual(
                    try secret.run("PRAGMA cipher_version").first?.first,
                    .text(try XCTUnwrap(secret.capabilities.cipherVersion)))
            }

            func testALibraryThatDoesNotEncryptRefusesAKey() throws {
                let plainLibrary =
                    ProcessInfo.processInfo.environment["VIGIL_PLAIN_LIBRARY"] ?? "libsqlite3.so.0"
                let backend = SQLCipherBackend(key: .passphrase("key"), library: .path(plainLibrary))
                let directory = try TemporaryDirectory()
                let path = directory.file("none")
                XCTAssertEqual(
                    code { _ = try backend.open(.file(path: path), options: StorageOptions()) },
                    .encryptionUnavailable)
                XCTAssertFalse(
                    FileManager.default.contents(atPath: path)?.isEmpty == false,
                    "nothing was written in the clear")
            }
        #endif
    }
#endif
