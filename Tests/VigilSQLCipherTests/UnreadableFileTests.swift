#if SQLCipher
    import Foundation
    import VigilSQLCipher
    import VigilSQLite
    import VigilStorage
    import XCTest

    /// Each reason for which a file cannot be read has an error of its own, and the file is not changed.
    final class UnreadableFileTests: XCTestCase {
        private let directory = Result { try TemporaryDirectory() }

        private func file(_ name: String) throws -> String { try directory.get().file(name) }

        private func open(_ path: String, _ key: CipherKey?) throws -> any StorageConnection {
            try SQLCipherBackend(key: key, library: .underTest).open(
                .file(path: path), options: StorageOptions())
        }

        private func create(_ name: String, _ key: CipherKey?) throws -> String {
            let path = try file(name)
            let connection = try open(path, key)
            try connection.run(
                """
                CREATE TABLE t(a);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                INSERT INTO t SELECT hex(zeroblob(100)) FROM n;
                """)
            try connection.close()
            return path
        }

        private func damage(_ path: String, at offset: Int) throws {
            var data = try Data(contentsOf: URL(fileURLWithPath: path))
            data[offset < 0 ? data.count + offset : offset] ^= 1
            try data.write(to: URL(fileURLWithPath: path))
        }

        private func assertFails(
            _ path: String, _ code: StorageError.Code, _ words: String, line: UInt = #line,
            _ body: () throws -> Void
        ) throws {
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            XCTAssertThrowsError(try body(), line: line) { error in
                XCTAssertEqual((error as? StorageError)?.code, code, "\(error)", line: line)
                let message = (error as? StorageError)?.message ?? ""
                XCTAssertTrue(message.contains(words), message, line: line)
            }
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), before, "changed", line: line)
        }

        func testWrongKey() throws {
            let path = try create("database", .quick)
            let other = CipherKey.raw([UInt8](repeating: 9, count: 32))
            try assertFails(path, .wrongKey, "the key does not open this file") { _ = try open(path, other) }
        }

        func testMissingKey() throws {
            let path = try create("database", .quick)
            try assertFails(path, .notADatabase, "SQLCipherBackend(key:") { _ = try open(path, nil) }
            #if SQLite
                try assertFails(path, .notADatabase, "SQLCipherBackend(key:") {
                    _ = try SQLiteBackend().open(.file(path: path), options: StorageOptions())
                }
            #endif
        }

        func testKeyForAPlainFile() throws {
            let path = try create("database", nil)
            try assertFails(path, .notEncrypted, "open it without a key") { _ = try open(path, .quick) }
        }

        func testDamagedPlainHeader() throws {
            let path = try create("database", nil)
            try damage(path, at: 3)
            try assertFails(path, .notADatabase, "encrypted and no key was given") { _ = try open(path, nil) }
        }

        func testFilesOfOtherKinds() throws {
            let path = try file("text")
            try Data("Not a database.".utf8).write(to: URL(fileURLWithPath: path))
            try assertFails(path, .notADatabase, "15 bytes") { _ = try open(path, nil) }
            try assertFails(path, .notADatabase, "15 bytes") { _ = try open(path, .quick) }
        }

        func testDamagedSaltAndFirstPage() throws {
            for offset in [3, 200] {
                // The salt of a raw key is the beginning of the file, too.
                let path = try create("database\(offset)", .quick)
                try damage(path, at: offset)
                try assertFails(path, .wrongKey, "its first page is damaged") { _ = try open(path, .quick) }
            }
        }

        func testDamagedPage() throws {
            let path = try create("database", .quick)
            let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
            try damage(path, at: size / 2)
            let connection = try open(path, .quick)
            for _ in 1...2 {
                try assertFails(path, .corrupt, "restore the file from a backup") {
                    _ = try connection.run("SELECT MAX(a) FROM t")
                }
            }
        }

        func testAPlainLibraryDoesNotAcceptAKey() throws {
            #if SQLite
                let path = try file("plain")
                let backend = SQLCipherBackend(key: .quick, library: .path("libsqlite3.so.0"))
                XCTAssertThrowsError(try backend.open(.file(path: path), options: StorageOptions())) {
                    error in
                    XCTAssertEqual((error as? StorageError)?.code, .encryptionUnavailable)
                    XCTAssertTrue("\(error)".contains("use SQLCipherBackend with a library"), "\(error)")
                }
                XCTAssertNotEqual(FileManager.default.contents(atPath: path)?.isEmpty, false)
            #else
                throw XCTSkip("libsqlite3 is not part of this build")
            #endif
        }
    }
#endif
