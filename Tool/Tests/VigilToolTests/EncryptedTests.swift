#if SQLCipher
    import Foundation
    import Vigil
    import XCTest

    final class EncryptedTests: ToolTestCase {
        private let query = "SELECT name FROM player WHERE id = 1"
        private let digits = String(repeating: "0a", count: 32)

        private func makeDatabase(_ key: CipherKey) throws -> DatabaseQueue {
            let library = ProcessInfo.processInfo.environment["VIGIL_SQLCIPHER_LIBRARY"]
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(
                key: key, library: library.map { .path($0) } ?? .standard)
            return try makeDatabase(configuration: configuration)
        }

        func testChangesByAnotherProcessArePrinted() throws {
            let dbQueue = try makeDatabase(.passphrase("secret"))
            let tool = try ToolProcess(
                ["watch", path, query, "--key-env", "KEY", "--format", "json", "--count", "2"],
                environment: ["KEY": "secret"])
            XCTAssertEqual(try tool.line(), #"{"n":0,"rows":[{"name":"Ada"}]}"#)
            try write(dbQueue, "UPDATE player SET name = 'Augusta' WHERE id = 1")
            XCTAssertEqual(try tool.line(), #"{"n":1,"rows":[{"name":"Augusta"}]}"#)
            XCTAssertEqual(try tool.end(), .init(status: 0, output: "", error: ""))
        }

        func testRawKeyOpensDatabase() throws {
            _ = try makeDatabase(.raw(Array(repeating: 10, count: 32)))
            let ending = try ToolProcess.run(
                ["explain", path, query, "--key-env", "KEY"], environment: ["KEY": "x'\(digits)'"])
            XCTAssertEqual(ending.error, "")
            XCTAssertEqual(ending.status, 0)
        }

        func testWrongKeyIsReportedButNotPrinted() throws {
            _ = try makeDatabase(.passphrase("secret"))
            for key in ["Secret", "x'\(digits)'"] {
                try assertFails(
                    ["watch", path, query, "--key-env", "KEY"], environment: ["KEY": key],
                    with: """
                        the key does not open this file, or the file has other cipher settings, or its first page is \
                        damaged: give the key and the settings that it was created with (compatibility 3 for a file \
                        of SQLCipher 3): \(path)
                        """)
            }
            try assertFails(
                ["watch", path, query, "--key-env", "KEY"], environment: ["KEY": ""],
                with: "a passphrase must not be empty")
        }

        func testMissingKeyIsReported() throws {
            _ = try makeDatabase(.passphrase("secret"))
            try assertFails(
                ["watch", path, query],
                with:
                    "file is not a database, or it is encrypted and requires a key (see --help): \(path)"
            )
        }
    }
#else
    import XCTest

    @testable import vigil_tool

    final class EncryptedTests: ToolTestCase {
        func testBuildWithoutEncryptionExplainsTrait() throws {
            try makeDatabase()
            try assertFails(
                ["watch", path, "SELECT 1", "--key-env", "KEY"], environment: ["KEY": "secret"],
                with: Encryption.missing.message)
        }
    }
#endif
