#if SQLCipher
    import Foundation
    import VigilSQLCipher
    import VigilSQLite
    import VigilStorage
    import XCTest

    final class CipherLogTests: XCTestCase {
        private let secret = "hunter2-hunter2-hunter2-hunter2-"

        override func tearDown() {
            SQLCipherBackend.log = nil
            // The library changes its log when a connection is opened.
            _ = try? open(.memory(name: nil), .quick)
        }

        private func open(_ location: StorageLocation, _ key: CipherKey, license: String? = nil) throws
            -> any StorageConnection
        {
            try SQLCipherBackend(key: key, license: license, library: .underTest)
                .open(location, options: StorageOptions())
        }

        private func skipWithoutLog() throws {
            let version = try open(.memory(name: nil), .quick).capabilities.cipherVersion
            if version?.hasPrefix("3.") == true { throw XCTSkip("SQLCipher 3 has no log") }
        }

        private func text(_ path: String) -> String {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }

        func testTheLogIsWrittenOnDemand() throws {
            try skipWithoutLog()
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            try open(.file(path: path), .quick).run("CREATE TABLE t(a)")
            SQLCipherBackend.log = CipherLog(.error, from: .core, to: .file(directory.file("it's a log")))
            XCTAssertThrowsError(try open(.file(path: path), .passphrase(secret)))
            SQLCipherBackend.log = nil
            XCTAssertThrowsError(try open(.file(path: path), .passphrase(secret)))
            let log = text(directory.file("it's a log"))
            XCTAssertTrue(log.contains("ERROR CORE"), log)
            XCTAssertFalse(log.contains("DEBUG"), log)
            XCTAssertThrowsError(try open(.file(path: path), .passphrase(secret)))
            XCTAssertEqual(text(directory.file("it's a log")), log)
        }

        func testALogThatCannotBeWrittenIsReported() throws {
            try skipWithoutLog()
            SQLCipherBackend.log = CipherLog(.error, to: .file("/nowhere/log"))
            XCTAssertThrowsError(try open(.memory(name: nil), .quick)) { error in
                XCTAssertEqual((error as? StorageError)?.code, .cannotOpen, "\(error)")
            }
        }

        func testALibraryWithoutLogRejectsIt() throws {
            SQLCipherBackend.log = nil
            let version = try open(.memory(name: nil), .quick).capabilities.cipherVersion
            guard version?.hasPrefix("3.") == true else { throw XCTSkip("SQLCipher 4 has a log") }
            SQLCipherBackend.log = CipherLog(.error)
            XCTAssertThrowsError(try open(.memory(name: nil), .quick)) { error in
                XCTAssertEqual((error as? StorageError)?.code, .cipherFeatureUnavailable, "\(error)")
            }
        }

        func testTheCompleteLogContainsNeitherKeysNorTheLicense() throws {
            try skipWithoutLog()
            let directory = try TemporaryDirectory()
            let path = directory.file("database")
            let keys = [CipherKey.passphrase(secret), .raw(Array(secret.utf8))]
            SQLCipherBackend.log = CipherLog(.trace, to: .file(directory.file("log")))
            for (index, key) in keys.enumerated() {
                let connection = try open(.file(path: path + "\(index)"), key, license: "license-" + secret)
                try connection.run("CREATE TABLE t(a); PRAGMA cipher_settings")
                try connection.run("ATTACH '\(directory.file("a"))' AS other KEY '\(secret)'; DETACH other")
                try connection.run("PRAGMA key = '\(secret)'; PRAGMA rekey = '\(secret)'")
                try (connection as? SQLiteConnection)?.changeKey(Array(secret.utf8))
                XCTAssertThrowsError(try open(.file(path: path + "0"), keys[1]))
            }
            SQLCipherBackend.log = nil
            _ = try open(.memory(name: nil), .quick)
            let log = text(directory.file("log"))
            XCTAssertTrue(log.contains("TRACE"))
            XCTAssertTrue(log.contains("sqlcipher_codec_pragma"))
            let digits = Data(secret.utf8).map { String($0, radix: 16) }.joined()
            XCTAssertNil(log.range(of: secret))
            XCTAssertNil(log.lowercased().range(of: digits))
        }

        func testTheLicenseAppearsNowhere() throws {
            let directory = try TemporaryDirectory()
            let license = "it's a license: " + secret
            for backend in [
                SQLCipherBackend(key: .quick, license: license, library: .underTest),
                SQLCipherBackend(license: license, library: .underTest) { .quick },
            ] {
                var dumped = ""
                dump(backend, to: &dumped)
                dumped += "\(backend) \(String(reflecting: backend))"
                XCTAssertNil(dumped.range(of: secret), dumped)
                // A library of the community edition ignores it.
                let connection = try backend.open(
                    .file(path: directory.file("database")), options: StorageOptions())
                try connection.run("CREATE TABLE IF NOT EXISTS t(a)")
                XCTAssertNil("\(connection)".range(of: secret))
            }
            for sql in [
                "PRAGMA cipher_license = '\(secret)'", "pragma main.CIPHER_LICENSE('\(secret)')",
                "SELECT 1; PRAGMA cipher_license = \"\(secret)\"",
            ] {
                XCTAssertNil(sql.withoutKeys.range(of: secret), sql.withoutKeys)
                XCTAssertNil("in \"\(sql)\"".withoutQuotedKeys.range(of: secret))
                XCTAssertNil("\(StorageError(.error, "near \(sql)", sql: sql))".range(of: secret))
            }
        }
    }
#endif
