import Foundation
import Vigil
import XCTest

/// Tables that another connection alters. This connection detects the change when it next runs a statement.
final class AlteredTableTests: XCTestCase {
    private var folder = URL(fileURLWithPath: "")

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(at: folder)
    }

    func testRowsHaveTheColumnsOfTheAlteredTable() throws {
        let path = folder.appendingPathComponent("a.db").path
        let other = try DatabaseQueue(path: path)
        try other.write { db in try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let dbQueue = try DatabaseQueue(path: path)
        func rows() throws -> [Row] {
            try dbQueue.read { db in try Row.fetchAll(db, sql: "SELECT * FROM t") }
        }
        XCTAssertEqual(try rows(), [["a": 1]])
        try other.write { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2") }
        XCTAssertEqual(try rows(), [["a": 1, "b": 2]])
    }

    func testACursorHasTheColumnsOfTheAlteredTable() throws {
        let path = folder.appendingPathComponent("a.db").path
        let other = try DatabaseQueue(path: path)
        try other.write { db in try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let dbQueue = try DatabaseQueue(path: path)
        try dbQueue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            XCTAssertEqual(statement.columnNames, ["a"])
            try other.write { db in
                try db.execute(sql: "DROP TABLE t; CREATE TABLE t(b); INSERT INTO t VALUES (1)")
            }
            try statement.execute()
            XCTAssertEqual(statement.columnNames, ["b"])
        }
    }
}
