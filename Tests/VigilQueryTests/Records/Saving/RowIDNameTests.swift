import Vigil
import XCTest

/// A record of a table with a column that has a name of the row id.
private struct Named: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "named"
    var name: String
    var rowid: String?
    var id: Int64?

    init(name: String, rowid: String?) {
        (self.name, self.rowid) = (name, rowid)
    }

    init(row: Row) {
        name = row["name"]
        switch (row["rowid"] as DatabaseValue).storage {
        case .int64(let integer): rowid = String(integer)
        case .string(let text): rowid = text
        default: break
        }
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    /// Returns the row after an insertion.
    func inserted(_ db: Database) throws -> Named {
        var copy = self
        return try copy.insertAndFetch(db, as: Named.self)
    }
}

private struct Item: Codable, TableRecord, FetchableRecord {
    static let tags = hasMany(Tag.self, using: ForeignKey(["item"], to: ["id"]))
    var id: Int64
}

private struct Tag: Codable, TableRecord, FetchableRecord {}

/// Columns may have the names of the row id: `rowid`, `oid` and `_rowid_`.
final class RowIDNameTests: XCTestCase {
    func testInsertedAndUpsertedRowsAreFoundBesideAColumnNamedRowID() throws {
        for type in ["TEXT", "INTEGER"] {
            for definition in [
                "name TEXT UNIQUE, rowid \(type), id INTEGER",
                "name TEXT PRIMARY KEY, rowid \(type), id INTEGER",
                "name TEXT UNIQUE, rowid \(type), id INTEGER PRIMARY KEY",
                "name TEXT UNIQUE, rowid \(type), OID, _rowid_, id INTEGER PRIMARY KEY",
            ] {
                try onEachQueue { dbQueue in
                    try dbQueue.write { db in
                        try db.execute(sql: "CREATE TABLE named(\(definition))")
                        for (name, value) in [("a", "7"), ("b", "1")] {
                            let named = Named(name: name, rowid: value)
                            let inserted = try named.inserted(db)
                            XCTAssertEqual([inserted.name, inserted.rowid], [name, value])
                        }
                        guard db.supports(.returning), db.supports(.upsertOnAnyConflict) else { return }
                        var first = Named(name: "a", rowid: "2")
                        try first.upsert(db)
                        XCTAssertEqual(first.id, 1)
                        var other = Named(name: "c", rowid: "9")
                        XCTAssertEqual(try other.upsertAndFetch(db).rowid, "9")
                        XCTAssertEqual(other.id, 3)
                    }
                }
            }
        }
    }

    func testTheRowIDIsThePrimaryKeyUnderItsFirstFreeName() throws {
        for (columns, name) in [
            ("a", "rowid"), ("rowid TEXT", "oid"), ("rowid, OID", "_rowid_"), ("_rowid_, oid", "rowid"),
        ] {
            try onEachQueue { dbQueue in
                try dbQueue.write { db in
                    try db.execute(sql: "CREATE TABLE t(\(columns)); INSERT INTO t DEFAULT VALUES")
                    XCTAssertEqual(try db.primaryKey("t").columns, [name])
                    XCTAssertTrue(try db.primaryKey("t").isRowID)
                    XCTAssertTrue(try db.table("t", hasUniqueKey: [name]))
                    XCTAssertEqual(try db.table("t", hasUniqueKey: ["rowid"]), name == "rowid")
                    let table = Table("t")
                    XCTAssertNotNil(try Row.fetchOne(db, table.filter(key: 1)))
                    XCTAssertNotNil(try Row.fetchOne(db, table.orderByPrimaryKey()))
                    XCTAssertEqual(try table.filter(key: 1).deleteAll(db), 1)
                }
            }
        }
    }

    func testATableWhoseColumnsHaveAllNamesOfTheRowIDHasNoImplicitKey() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "CREATE TABLE t(rowid, oid, _rowid_)")
                XCTAssertEqual(try db.primaryKey("t").columns, [])
                XCTAssertThrowsError(try Row.fetchOne(db, Table("t").filter(key: 1))) {
                    XCTAssertEqual(($0 as? DatabaseError)?.message, "table t has no primary key")
                }
                struct Hidden: Codable, PersistableRecord, FetchableRecord {
                    static let databaseTableName = "t"
                    var rowid: String
                }
                try Hidden(rowid: "x").insert(db)
                if db.supports(.returning) {
                    XCTAssertEqual(try Hidden(rowid: "y").insertAndFetch(db).rowid, "y")
                } else {
                    XCTAssertThrowsError(try Hidden(rowid: "y").insertAndFetch(db)) {
                        XCTAssertEqual(
                            ($0 as? DatabaseError)?.message,
                            "the columns of table t hide its row ids: declare a primary key")
                    }
                }
            }
        }
    }

    func testAggregatesCountRowsBesideAColumnNamedRowID() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE item(id INTEGER PRIMARY KEY);
                        CREATE TABLE tag(item INTEGER, rowid TEXT);
                        INSERT INTO item VALUES (1), (2);
                        INSERT INTO tag VALUES (1, 'x'), (1, 'x'), (1, NULL);
                        """)
                let request = Item.annotated(with: Item.tags.count).orderByPrimaryKey()
                XCTAssertEqual(try Row.fetchAll(db, request).map { $0["tagCount"] }, [3, 0])
            }
        }
    }

    func testViolationsOfForeignKeysShowTheRowBesideAColumnNamedRowID() throws {
        try onEachQueue { dbQueue in
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        PRAGMA foreign_keys = 0;
                        CREATE TABLE team(id INTEGER PRIMARY KEY);
                        CREATE TABLE member(rowid TEXT, team REFERENCES team);
                        INSERT INTO member VALUES ('x', 7);
                        """)
                let violation = try XCTUnwrap(db.foreignKeyViolations().next())
                let description = try violation.failureDescription(db)
                XCTAssertTrue(description.hasSuffix(#", in [rowid:"x" team:7]"#), description)
            }
        }
    }
}
