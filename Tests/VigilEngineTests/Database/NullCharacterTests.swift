import Foundation
import Vigil
import VigilTestSupport
import XCTest

/// A NUL in SQL, a path or a name is an error, because a library would ignore the rest. Values may contain
/// one.
final class NullCharacterTests: XCTestCase {
    private let inSQL = "the SQL contains a NUL character: bind text that contains one as an argument"

    private func configuration(_ backend: any StorageBackend) -> Configuration {
        var configuration = Configuration()
        configuration.backend = backend
        return configuration
    }

    func testNothingOfSQLWithANullCharacterIsRun() throws {
        try onEachQueue(schema: "CREATE TABLE t(a)") { dbQueue in
            try dbQueue.inDatabase { db in
                for sql in [
                    "INSERT INTO t VALUES (1)\0", "INSERT INTO t VALUES (1);\0INSERT INTO t VALUES (2)",
                    "INSERT INTO t VALUES ('a\0b')", "\0", "INSERT INTO t VALUES (1) -- \0",
                ] {
                    assertDatabaseError(.SQLITE_ERROR, inSQL) { try db.execute(sql: sql) }
                    assertDatabaseError(.SQLITE_ERROR, inSQL) { try db.makeStatement(sql: sql) }
                }
                assertDatabaseError(.SQLITE_ERROR, inSQL) { try Int.fetchOne(db, sql: "SELECT 1\0 + 1") }
                assertDatabaseError(.SQLITE_ERROR, inSQL) { try db.cachedStatement(sql: "SELECT 1\0 + 1") }
                assertDatabaseError(.SQLITE_ERROR, inSQL) { try db.execute(literal: "SELECT \(sql: "1\0")") }
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            }
        }
    }

    func testBoundValuesAndGeneratedLiteralsMayContainNullCharacters() throws {
        let text = "a\0b'\0"
        try onEachQueue(schema: "CREATE TABLE t(a)") { dbQueue in
            try dbQueue.inDatabase { db in
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
                try db.execute(literal: "INSERT INTO t VALUES (\(text))")
                try db.create(table: "u") { t in
                    t.column("id", .integer).primaryKey()
                    t.column("a", .text).notNull().defaults(to: text)
                }
                try db.execute(sql: "INSERT INTO u DEFAULT VALUES")
                XCTAssertEqual(
                    try String.fetchAll(db, sql: "SELECT a FROM t UNION ALL SELECT a FROM u"),
                    [text, text, text])
                XCTAssertEqual(
                    try String.fetchOne(db, sql: "SELECT a FROM t WHERE a = ?", arguments: [text]), text)
            }
        }
    }

    func testPathsWithANullCharacterAreRefused() throws {
        let message = "the path of the database contains a NUL character"
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let path = directory.file("a\0b.sqlite")
            assertDatabaseError(.SQLITE_CANTOPEN, message) {
                try DatabaseQueue(path: path, configuration: configuration(backend))
            }
            assertDatabaseError(.SQLITE_CANTOPEN, message) {
                try DatabasePool(path: path, configuration: configuration(backend))
            }
            assertDatabaseError(.SQLITE_CANTOPEN) {
                try DatabaseQueue(named: "a\0b", configuration: configuration(backend))
            }
            let dbQueue = try DatabaseQueue(configuration: configuration(backend))
            assertDatabaseError(.SQLITE_CANTOPEN, "the path of the export contains a NUL character") {
                try dbQueue.export(to: path, configuration: configuration(backend))
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.file(""))
            XCTAssertEqual(files, [])
        }
    }

    func testNamesWithANullCharacterAreRefused() throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                func assertRefused(_ change: () -> Void, line: UInt = #line) {
                    change()
                    assertDatabaseError(.SQLITE_MISUSE, line: line) { try db.execute(sql: "SELECT 1") }
                }
                let function = DatabaseFunction("f\0g") { _ in 1 }
                assertRefused { db.add(function: function) }
                assertRefused { db.remove(function: function) }
                let collation = DatabaseCollation("c\0d") { _, _ in .orderedSame }
                assertRefused { db.add(collation: collation) }
                assertRefused { db.remove(collation: collation) }
                assertDatabaseError(.SQLITE_ERROR) { try Int.fetchOne(db, sql: "SELECT f()") }
                assertDatabaseError(.SQLITE_MISUSE) { try db.checkpoint(on: "main\0x") }
                assertDatabaseError(.SQLITE_ERROR, inSQL) {
                    try db.create(table: "t\0u") { t in t.column("a") }
                }
                XCTAssertFalse(try db.tableExists("t"))
                try db.execute(sql: "CREATE TABLE t(a)")
                XCTAssertFalse(try db.tableExists("t\0u"))
                assertDatabaseError(.SQLITE_ERROR) { try db.columns(in: "t\0u") }
            }
        }
    }

    #if SQLite
        func testThePathOfALibraryIsNotCut() throws {
            var configuration = Configuration()
            configuration.backend = SQLiteBackend(library: .path("libsqlite3.so.0\0x"))
            XCTAssertThrowsError(try DatabaseQueue(configuration: configuration)) { error in
                XCTAssertEqual(
                    (error as? DatabaseError)?.message, "the path of the library contains a NUL character")
            }
        }
    #endif

    func testErrorsOfFunctionsKeepTheirWholeMessage() throws {
        try onEachQueue { dbQueue in
            dbQueue.inDatabase { db in
                db.add(
                    function: DatabaseFunction("f", argumentCount: 0) { _ in
                        throw DatabaseError(message: "long enough, é")
                    })
                assertDatabaseError(.SQLITE_ERROR, "long enough, é") {
                    try Int.fetchOne(db, sql: "SELECT f()")
                }
            }
        }
    }
}
