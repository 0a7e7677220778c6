import Foundation
import Vigil
import XCTest

/// The message if the schema of an untrusted file calls the function `launch`.
let unsafeUseOfLaunch =
    "unsafe use of launch(): the schema of an untrusted file can only call functions that are declared harmless"

final class UntrustedFilesTests: XCTestCase {
    private func onEachUntrustedQueue(_ body: (Database) throws -> Void) throws {
        try onEachQueue(.untrusted, schema: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") { dbQueue in
            try dbQueue.inDatabase(body)
        }
    }

    private func isAtLeast(_ minor: Int, _ db: Database) throws -> Bool {
        let version = try XCTUnwrap(String.fetchOne(db, sql: "SELECT sqlite_version()"))
        return Int(version.split(separator: ".")[1]).map { $0 >= minor } ?? false
    }

    func testOrdinaryWorkIsPossible() throws {
        try onEachUntrustedQueue { db in
            try db.execute(sql: "INSERT INTO t VALUES (2); CREATE INDEX i ON t(a)")
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT SUM(a) FROM t"), 3)
            try db.execute(sql: "VACUUM")
        }
    }

    func testTheSchemaCannotBeWrittenDirectly() throws {
        try onEachUntrustedQueue { db in
            guard try isAtLeast(26, db) else { return }
            try db.execute(sql: "PRAGMA writable_schema = ON")
            assertDatabaseError(.SQLITE_ERROR) { try db.execute(sql: "UPDATE sqlite_master SET sql = ''") }
        }
    }

    func testViewsCannotCallApplicationFunctions() throws {
        try onEachUntrustedQueue { db in
            db.add(function: DatabaseFunction("launch", argumentCount: 0) { _ in 1 })
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT launch()"), 1)
            try db.execute(sql: "CREATE VIEW v AS SELECT launch()")
            assertDatabaseError(.SQLITE_ERROR, unsafeUseOfLaunch) {
                try db.execute(sql: "SELECT * FROM v")
            }
        }
    }

    func testExpressionsAndAttachedDatabasesAreLimited() throws {
        let deep = "SELECT 1" + String(repeating: " + 1", count: 200)
        try onEachUntrustedQueue { db in
            assertDatabaseError(.SQLITE_ERROR) { try db.execute(sql: deep) }
            try db.execute(sql: "ATTACH ':memory:' AS first")
            assertDatabaseError(.SQLITE_ERROR, "too many attached databases - max 1") {
                try db.execute(sql: "ATTACH ':memory:' AS second")
            }
        }
        try onEachQueue { dbQueue in try dbQueue.inDatabase { db in try db.execute(sql: deep) } }
    }
}
