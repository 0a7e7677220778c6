import Vigil
import XCTest

private struct SchemaObject: Codable, TableRecord, FetchableRecord {
    static let databaseTableName = "sqlite_master"
    var type: String
    var name: String
}

/// Requests of the tables in which the library stores the schema. They are not part of the schema themselves.
final class SchemaTableTests: XCTestCase {
    func testTheSchemaTableCanBeRequested() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT);
                        CREATE INDEX byName ON player(name);
                        CREATE TEMP TABLE draft(id INTEGER PRIMARY KEY)
                        """)
                let tables = SchemaObject.filter(Column("type") == "table")
                XCTAssertEqual(try tables.fetchAll(db).map(\.name), ["player"])
                XCTAssertEqual(try tables.fetchCount(db), 1)
                XCTAssertEqual(try SchemaObject.filter(Column.rowID == 2).fetchOne(db)?.name, "byName")
                XCTAssertEqual(try SchemaObject.orderByPrimaryKey().reversed().fetchOne(db)?.name, "byName")
                XCTAssertEqual(
                    try SchemaObject.select(.allColumns(excluding: ["sql", "rootpage", "tbl_name"]))
                        .fetchAll(db).count, 2)
                XCTAssertEqual(try SchemaObject.fetchCount(db), 2)
                XCTAssertEqual(try Table("SQLITE_MASTER").order(Column("name")).fetchAll(db).count, 2)
                let temporary = Table("sqlite_temp_master").filter(Column("type") == "table")
                XCTAssertEqual(
                    try temporary.select(Column("name"), as: String.self).fetchAll(db), ["draft"])
            }
        }
    }

    func testTheNewNamesOfTheSchemaTableCanBeRequested() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
                try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY)")
                let request = Table("sqlite_schema").filter(Column.rowID == 1)
                guard version.compare("3.33", options: .numeric) != .orderedAscending else {
                    XCTAssertThrowsError(try request.fetchAll(db)) { error in
                        XCTAssertEqual((error as? DatabaseError)?.message, "no such table: sqlite_schema")
                    }
                    return
                }
                XCTAssertEqual(try request.fetchOne(db)?["name"], "player")
                XCTAssertEqual(try request.fetchCount(db), 1)
                XCTAssertEqual(try Table("sqlite_temp_schema").fetchCount(db), 0)
            }
        }
    }

    func testTheSchemaTableIsObserved() throws {
        try onEachQueue { dbQueue in
            let tables = SchemaObject.filter(Column("type") == "table")
            let (counts, cancellable) = record(ValueObservation.tracking(tables.fetchCount), in: dbQueue)
            defer { cancellable.cancel() }
            XCTAssertEqual(counts.wait(count: 1), [0])
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY)") }
            XCTAssertEqual(counts.wait(count: 2), [0, 1])
        }
    }
}
