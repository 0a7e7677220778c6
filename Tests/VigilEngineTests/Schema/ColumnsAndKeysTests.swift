import Foundation
import Vigil
import XCTest

final class ColumnsAndKeysTests: XCTestCase {
    private func onEachQueue(_ schema: String, _ body: (Database) throws -> Void) throws {
        try onEachQueue(schema: schema) { dbQueue in try dbQueue.inDatabase(body) }
    }

    func testColumnsAreReturnedInOrder() throws {
        let schema = """
            CREATE TABLE t(b VARCHAR(10) NOT NULL DEFAULT 'it''s', a, c INTEGER DEFAULT (1 + 1), PRIMARY KEY (c, b))
            """
        try onEachQueue(schema) { db in
            let columns = try db.columns(in: "T")
            XCTAssertEqual(columns.map(\.name), ["b", "a", "c"])
            XCTAssertEqual(columns.map(\.type), ["VARCHAR(10)", "", "INTEGER"])
            XCTAssertEqual(columns.map(\.isNotNull), [true, false, false])
            XCTAssertEqual(columns.map(\.defaultValueSQL), ["'it''s'", nil, "1 + 1"])
            XCTAssertEqual(columns.map(\.primaryKeyIndex), [2, 0, 1])
            XCTAssertEqual(try db.columns(in: "t", in: "MAIN").count, 3)
        }
    }

    func testViewsHaveColumnsAndHiddenColumnsAreOmitted() throws {
        try onEachQueue("CREATE VIEW v AS SELECT 1 AS one; CREATE VIRTUAL TABLE f USING fts4(content)") {
            db in
            XCTAssertEqual(try db.columns(in: "v").map(\.name), ["one"])
            XCTAssertEqual(try db.columns(in: "f").map(\.name), ["content"])
        }
    }

    func testGeneratedColumnsAreIncluded() throws {
        try onEachQueue("") { db in
            guard (try? db.execute(sql: "CREATE TABLE g(a, b AS (a), c AS (a) STORED)")) != nil else {
                return
            }
            XCTAssertEqual(try db.columns(in: "g").map(\.name), ["a", "b", "c"])
        }
    }

    func testPrimaryKeysOfAllKindsAreReturned() throws {
        let schema = """
            CREATE TABLE hidden(a);
            CREATE TABLE alias(ID integer PRIMARY KEY, a);
            CREATE TABLE descending(id INTEGER PRIMARY KEY DESC);
            CREATE TABLE int(id INT PRIMARY KEY);
            CREATE TABLE text(code TEXT PRIMARY KEY);
            CREATE TABLE two(b, a, PRIMARY KEY (a, b));
            CREATE TABLE without(id INTEGER PRIMARY KEY) WITHOUT ROWID;
            CREATE VIRTUAL TABLE full USING fts4(content);
            """
        try onEachQueue(schema) { db in
            func assertKey(
                _ table: String, _ columns: [String], rowID: String?, isRowID: Bool, line: UInt = #line
            ) throws {
                let key = try db.primaryKey(table)
                XCTAssertEqual(key.columns, columns, line: line)
                XCTAssertEqual(key.rowIDColumn, rowID, line: line)
                XCTAssertEqual(key.isRowID, isRowID, line: line)
            }
            try assertKey("hidden", ["rowid"], rowID: nil, isRowID: true)
            try assertKey("ALIAS", ["ID"], rowID: "ID", isRowID: true)
            try assertKey("descending", ["id"], rowID: nil, isRowID: false)
            try assertKey("int", ["id"], rowID: nil, isRowID: false)
            try assertKey("text", ["code"], rowID: nil, isRowID: false)
            try assertKey("two", ["a", "b"], rowID: nil, isRowID: false)
            try assertKey("without", ["id"], rowID: nil, isRowID: false)
            try assertKey("full", ["rowid"], rowID: nil, isRowID: true)
            let fastest = try ["hidden", "alias", "text", "two", "without"].map {
                try db.primaryKey($0).fastPrimaryKeyColumn
            }
            XCTAssertEqual(fastest, ["rowid", "ID", "rowid", "rowid", "id"])
        }
    }

    func testIndexesHaveColumnsAndOrigin() throws {
        let schema = """
            CREATE TABLE t(a TEXT PRIMARY KEY, b UNIQUE, c);
            CREATE INDEX plain ON t(c, a);
            CREATE UNIQUE INDEX partial ON t(c) WHERE c > 0;
            CREATE INDEX expression ON t(c + 1);
            """
        try onEachQueue(schema) { db in
            let indexes = try db.indexes(on: "T").sorted { $0.name < $1.name }
            XCTAssertEqual(
                indexes.map(\.name), ["partial", "plain", "sqlite_autoindex_t_1", "sqlite_autoindex_t_2"])
            XCTAssertEqual(indexes.map(\.columns), [["c"], ["c", "a"], ["a"], ["b"]])
            XCTAssertEqual(indexes.map(\.isUnique), [true, false, true, true])
            XCTAssertEqual(indexes.map(\.isPartial), [true, false, false, false])
            XCTAssertEqual(
                indexes.map(\.origin), [.createIndex, .createIndex, .primaryKeyConstraint, .uniqueConstraint])
        }
    }

    func testUniqueKeysArePrimaryKeysAndUniqueIndexesOfAllRows() throws {
        let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c);
            CREATE UNIQUE INDEX ab ON t(a, b);
            CREATE UNIQUE INDEX partial ON t(c) WHERE c > 0;
            """
        try onEachQueue(schema) { db in
            for columns in [["id"], ["ID", "c"], ["rowid"], ["B", "a"], ["a", "b", "c"]] {
                XCTAssertTrue(try db.table("t", hasUniqueKey: columns), "\(columns)")
            }
            for columns in [[], ["a"], ["c"], ["a", "c"]] {
                XCTAssertFalse(try db.table("t", hasUniqueKey: columns), "\(columns)")
            }
        }
    }

    func testSchemaSourceProvidesPrimaryKeysOfViews() throws {
        struct Keys: DatabaseSchemaSource {
            var columns: [String: [String]]
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
                columns[view.name]
            }
        }
        var configuration = Configuration()
        configuration.schemaSource = Keys(columns: ["v": ["B"]]).then(
            Keys(columns: ["v": ["a"], "w": ["a", "b"]]))
        let schema =
            "CREATE VIEW v AS SELECT 1 AS a, 2 AS b; CREATE VIEW w AS SELECT * FROM v; CREATE VIEW x AS SELECT 1"
        try onEachQueue(configuration, schema: schema) { dbQueue in
            try dbQueue.read { db in
                XCTAssertEqual(try db.primaryKey("v").columns, ["b"])
                XCTAssertEqual(try db.primaryKey("w").columns, ["a", "b"])
                XCTAssertThrowsError(try db.primaryKey("x")) { error in
                    XCTAssertEqual("\(error)", "SQLite error 1: database view x has no primary key")
                    let text = String(reflecting: error)
                    XCTAssertTrue(text.hasSuffix("(define one in Configuration.schemaSource)"), text)
                }
                try db.withSchemaSource(Keys(columns: ["x": ["1"], "v": ["missing"]])) {
                    XCTAssertEqual(try db.primaryKey("x").columns, ["1"])
                    assertDatabaseError(.SQLITE_MISUSE) { try db.primaryKey("v") }
                }
                try db.withSchemaSource(nil) {
                    XCTAssertNil(db.schemaSource)
                    XCTAssertThrowsError(try db.primaryKey("v"))
                }
                XCTAssertEqual(try db.primaryKey("v").columns, ["b"])
            }
        }
    }
}
