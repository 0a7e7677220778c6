import Foundation
import Vigil
import XCTest

/// The initializers without a backend, and their errors.
final class DefaultBackendTests: XCTestCase {
    private let directory = try? TemporaryDirectory()

    private func file(_ name: String) throws -> String {
        try XCTUnwrap(directory).file(name)
    }

    private func assertError(
        _ code: ResultCode, _ message: String, _ body: () throws -> Void, line: UInt = #line
    ) {
        XCTAssertThrowsError(try body(), line: line) { error in
            let error = error as? DatabaseError
            XCTAssertTrue((error?.extendedResultCode).map { code ~= $0 } == true, line: line)
            XCTAssertTrue(
                error?.message?.contains(message) == true, "\(String(describing: error))", line: line)
        }
    }

    func testTheBackendIsSQLiteWithItsTraitElseSQLCipher() throws {
        #if SQLite
            XCTAssertTrue(try defaultBackend() is SQLiteBackend)
        #elseif SQLCipher
            XCTAssertTrue(try defaultBackend() is SQLCipherBackend)
        #else
            assertError(.SQLITE_MISUSE, "enable the trait SQLite or SQLCipher") { _ = try defaultBackend() }
        #endif
    }

    #if SQLite || SQLCipher
        func testAQueueAndAPoolOpenTheSameFile() throws {
            let path = try file("database.sqlite")
            let dbQueue = try DatabaseQueue(path: path)
            try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            let dbPool = try DatabasePool(path: path)
            XCTAssertEqual(try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT a FROM t") }, 1)
            XCTAssertEqual(dbQueue.path, path)
            XCTAssertEqual(dbPool.path, path)
        }

        func testAReadOnlyConfigurationDoesNotCreateAFile() throws {
            var configuration = Configuration()
            configuration.readonly = true
            let path = try file("missing.sqlite")
            assertError(.SQLITE_CANTOPEN, path) {
                _ = try DatabaseQueue(path: path, configuration: configuration)
            }
            assertError(.SQLITE_CANTOPEN, path) {
                _ = try DatabasePool(path: path, configuration: configuration)
            }
            XCTAssertFalse(FileManager.default.fileExists(atPath: path))
        }

        func testMemoryIsSharedByNameOnly() throws {
            func tableCount(_ dbQueue: DatabaseQueue) throws -> Int? {
                try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") }
            }
            let name = UUID().uuidString
            let named = try DatabaseQueue(named: name)
            try named.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            XCTAssertEqual(try tableCount(DatabaseQueue(named: name)), 1)
            XCTAssertEqual(try tableCount(DatabaseQueue()), 0)
            XCTAssertEqual(try tableCount(DatabaseQueue(path: ":memory:")), 0)
        }

        func testMemoryWithAnEmptyNameIsAnError() {
            assertError(.SQLITE_CANTOPEN, "the name of a database in memory is empty") {
                _ = try DatabaseQueue(named: "")
            }
        }

        func testAFileOfAnotherFormatIsNotADatabase() throws {
            let path = try file("text.sqlite")
            let text = String(repeating: "Not a database. ", count: 100)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let message = "the file is not a database: it has \(text.utf8.count) bytes"
            assertError(.SQLITE_NOTADB, message) { _ = try DatabaseQueue(path: path) }
            assertError(.SQLITE_NOTADB, message) { _ = try DatabasePool(path: path) }
        }

        func testADirectoryCannotBeOpened() throws {
            let path = try XCTUnwrap(directory).path
            assertError(.SQLITE_CANTOPEN, path) { _ = try DatabaseQueue(path: path) }
        }
    #endif

    #if SQLCipher
        func testTheBackendOfTheConfigurationTakesPrecedence() throws {
            let path = try file("encrypted.sqlite")
            var configuration = Configuration()
            configuration.backend = SQLCipherBackend(key: .passphrase("secret"))
            let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
            try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            try dbQueue.close()
            XCTAssertNoThrow(try DatabasePool(path: path, configuration: configuration))
            assertError(.SQLITE_NOTADB, "the file is encrypted and no key was given") {
                _ = try DatabaseQueue(path: path)
            }
            configuration.backend = SQLCipherBackend(key: .passphrase("other"))
            assertError(.WRONG_KEY, "the key does not open this file") {
                _ = try DatabasePool(path: path, configuration: configuration)
            }
        }
    #endif
}
