#if SQLCipher
    import Foundation
    import VigilSQLCipher
    import VigilSQLite
    import VigilStorage
    import XCTest

    final class CipherSettingsTests: XCTestCase {
        private let key = CipherKey.passphrase("correct horse")
        /// Few iterations, because these tests do not cover the strength of keys.
        private let quick = CipherSettings(kdfIterations: 4)

        private func backend(_ settings: CipherSettings) -> SQLCipherBackend {
            SQLCipherBackend(key: key, settings: settings, library: .underTest)
        }

        private func create(_ path: String, _ settings: CipherSettings) throws {
            let connection = try backend(settings).open(.file(path: path), options: StorageOptions())
            try connection.run("CREATE TABLE t(a); INSERT INTO t VALUES ('visible text')")
            try connection.close()
        }

        private func text(_ path: String, _ settings: CipherSettings) throws -> StorageValue? {
            var options = StorageOptions()
            options.access = .readOnly
            let connection = try backend(settings).open(.file(path: path), options: options)
            defer { try? connection.close() }
            return try connection.run("SELECT a FROM t").first?.first
        }

        /// Whether the library under test is SQLCipher 4 or later.
        private func isVersion4() throws -> Bool {
            let connection = try backend(quick).open(.memory(name: nil), options: StorageOptions())
            return try XCTUnwrap(connection.capabilities.cipherVersion).hasPrefix("3.") == false
        }

        private func assertCode(
            _ code: StorageError.Code, line: UInt = #line, _ body: () throws -> Void
        ) {
            XCTAssertThrowsError(try body(), line: line) { error in
                XCTAssertEqual((error as? StorageError)?.code, code, "\(error)", line: line)
            }
        }

        func testAFileOpensOnlyWithTheSettingsOfItsCreation() throws {
            var settings = [
                CipherSettings(pageSize: 8192, kdfIterations: 4), CipherSettings(kdfIterations: 5),
                CipherSettings(compatibility: 1), CipherSettings(compatibility: 2),
            ]
            if try isVersion4() {
                settings += [
                    CipherSettings(kdfIterations: 4, hmacAlgorithm: .sha256),
                    CipherSettings(kdfIterations: 4, kdfAlgorithm: .sha1),
                    CipherSettings(
                        kdfIterations: 4,
                        plaintextHeader: .init(salt: [UInt8](repeating: 7, count: 16))),
                    CipherSettings(compatibility: 4, kdfIterations: 3),
                ]
            }
            for settings in settings {
                let directory = try TemporaryDirectory()
                let path = directory.file("database")
                try create(path, settings)
                let before = try Data(contentsOf: URL(fileURLWithPath: path))
                XCTAssertNil(before.range(of: Data("visible text".utf8)))
                XCTAssertEqual(
                    before.starts(with: Data("SQLite format 3".utf8)), settings.plaintextHeader != nil)
                assertCode(.wrongKey) { _ = try text(path, quick) }
                assertCode(.wrongKey) { _ = try text(path, CipherSettings(kdfIterations: 7)) }
                XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), before, "\(settings)")
                XCTAssertEqual(try text(path, settings), .text("visible text"), "\(settings)")
            }
        }

        func testInvalidSettingsAreRejectedBeforeAFileIsWritten() throws {
            let directory = try TemporaryDirectory()
            for settings in [
                CipherSettings(compatibility: 5), CipherSettings(pageSize: 1000),
                CipherSettings(pageSize: 256),
                CipherSettings(kdfIterations: 0), CipherSettings(plaintextHeader: .init(size: 30, salt: nil)),
                CipherSettings(plaintextHeader: .init(salt: [1])),
            ] {
                assertCode(.misuse) { try create(directory.file("database"), settings) }
                XCTAssertNotEqual(
                    FileManager.default.contents(atPath: directory.file("database"))?.isEmpty, false)
            }
        }

        func testALibraryRejectsSettingsThatItDoesNotSupport() throws {
            if try isVersion4() { throw XCTSkip("SQLCipher 4 supports all settings") }
            let directory = try TemporaryDirectory()
            for settings in [
                CipherSettings(compatibility: 4), CipherSettings(hmacAlgorithm: .sha512),
                CipherSettings(kdfAlgorithm: .sha512), CipherSettings(securesMemory: true),
                CipherSettings(plaintextHeader: .init(salt: nil)),
            ] {
                assertCode(.cipherFeatureUnavailable) { try create(directory.file("database"), settings) }
            }
            try create(directory.file("same"), CipherSettings(kdfIterations: 4, hmacAlgorithm: .sha1))
        }

        func testSalts() throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("salted")
            let bytes = [UInt8](repeating: 3, count: 32)
            let salt = (1...16).map { UInt8($0) }
            let key = CipherKey.raw(bytes, salt: salt)
            XCTAssertEqual(key, .raw(bytes + salt))
            let connection = try SQLCipherBackend(key: key, library: .underTest)
                .open(.file(path: path), options: StorageOptions())
            try connection.run("CREATE TABLE t(a)")
            try connection.close()
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)).prefix(16), Data(salt))
            assertCode(.misuse) {
                _ = try SQLCipherBackend(key: .raw(bytes, salt: [1]), library: .underTest)
                    .open(.file(path: path), options: StorageOptions())
            }
        }

        func testTheKeyIsRequestedForEachConnection() throws {
            struct KeychainIsLocked: Error {}
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let answers = Recorder<Int>()
            let backend = SQLCipherBackend(library: .underTest) {
                answers.append(1)
                if answers.all.count > 2 { throw KeychainIsLocked() }
                return .quick
            }
            let first = try backend.open(.file(path: path), options: StorageOptions())
            try first.run("CREATE TABLE t(a)")
            let second = try backend.open(.file(path: path), options: StorageOptions())
            XCTAssertEqual(try second.run("SELECT COUNT(*) FROM t"), [[.integer(0)]])
            XCTAssertThrowsError(try backend.open(.file(path: path), options: StorageOptions())) { error in
                XCTAssertEqual((error as? StorageError)?.code, .cannotOpen)
                XCTAssertTrue("\(error)".contains("KeychainIsLocked"), "\(error)")
            }
        }
    }
#endif
