import Vigil
import XCTest

final class TableCreationTests: XCTestCase {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase(body)
    }

    func sql(_ db: Database, _ name: String) throws -> String? {
        try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [name])
    }

    func testTableHasDefinedColumns() throws {
        try inDatabase { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().collate(.nocase)
                t.column("score", .integer).notNull().defaults(to: 0)
                t.column("anything")
            }
            XCTAssertEqual(
                try sql(db, "player"),
                """
                CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
                "name" TEXT NOT NULL COLLATE NOCASE, "score" INTEGER NOT NULL DEFAULT 0, "anything")
                """)
            let columns = try db.columns(in: "player")
            XCTAssertEqual(columns.map(\.name), ["id", "name", "score", "anything"])
            XCTAssertEqual(columns.map(\.type), ["INTEGER", "TEXT", "INTEGER", ""])
            XCTAssertEqual(columns.map(\.isNotNull), [false, true, true, false])
            XCTAssertEqual(columns.map(\.defaultValueSQL), [nil, nil, "0", nil])
            XCTAssertEqual(try db.primaryKey("player").rowIDColumn, "id")
        }
    }

    func testColumnTypesHaveTheirSQLNames() throws {
        let types: [Database.ColumnType] = [
            .text, .jsonText, .jsonb, .integer, .double, .real, .numeric, .boolean, .blob, .date, .datetime,
            .any, Database.ColumnType(rawValue: "POINT"),
        ]
        try inDatabase { db in
            try db.create(table: "t") { t in
                for (index, type) in types.enumerated() { t.column("c\(index)", type) }
            }
            XCTAssertEqual(
                try db.columns(in: "t").map(\.type),
                [
                    "TEXT", "TEXT", "BLOB", "INTEGER", "DOUBLE", "REAL", "NUMERIC", "BOOLEAN", "BLOB", "DATE",
                    "DATETIME", "ANY", "POINT",
                ])
        }
    }

    func testTableOptionsAreApplied() throws {
        try XCTSkipIf(Database.sqliteLibVersionNumber < 3_037_000, "this library has no STRICT tables")
        try inDatabase { db in
            try db.create(table: "t", options: [.ifNotExists, .strict, .withoutRowID]) { t in
                t.primaryKey("a", .integer)
            }
            XCTAssertEqual(
                try sql(db, "t"), #"CREATE TABLE "t" ("a" INTEGER PRIMARY KEY) STRICT, WITHOUT ROWID"#)
            XCTAssertThrowsError(try db.execute(sql: "INSERT INTO t VALUES ('x')"))
            try db.create(table: "t", options: .ifNotExists) { t in t.column("b") }
            XCTAssertEqual(try db.columns(in: "t").map(\.name), ["a"])
        }
    }

    func testExistingTableIsNotCreatedAgain() throws {
        try inDatabase { db in
            try db.create(table: "t") { t in t.column("a") }
            XCTAssertThrowsError(try db.create(table: "t") { t in t.column("b") })
            try db.create(table: "t", ifNotExists: true) { t in t.column("a").indexed() }
            try db.create(table: "t", ifNotExists: true) { t in t.column("a").indexed() }
            XCTAssertEqual(try db.indexes(on: "t").map(\.name), ["t_on_a"])
        }
    }

    func testTemporaryTableIsNotInTheMainDatabase() throws {
        try inDatabase { db in
            try db.create(table: "a", options: .temporary) { t in t.column("x").indexed() }
            try db.create(table: "b", temporary: true) { t in t.column("x") }
            XCTAssertFalse(try db.tableExists("a", in: "main"))
            XCTAssertTrue(try db.tableExists("a", in: "temp"))
            XCTAssertTrue(try db.tableExists("b", in: "temp"))
            XCTAssertEqual(try db.indexes(on: "a", in: "temp").map(\.name), ["a_on_x"])
        }
    }

    func testNamesAreQuoted() throws {
        try inDatabase { db in
            let name = #"a "b" (c)"#
            try db.create(table: name) { t in
                t.primaryKey("group", .text)
                t.column(#"x"y"#).indexed().references(name)
                t.uniqueKey([#"x"y"#])
            }
            XCTAssertEqual(try db.columns(in: name).map(\.name), ["group", #"x"y"#])
            try db.drop(table: name)
            XCTAssertFalse(try db.tableExists(name))
        }
    }

    func testColumnsAndConstraintsCanBeDefinedInSQL() throws {
        try inDatabase { db in
            let limit = 10
            try db.create(table: "t") { t in
                t.column(sql: "a INTEGER PRIMARY KEY")
                t.column(literal: "b TEXT DEFAULT \("O'Brien?")")
                t.constraint(sql: "CONSTRAINT small CHECK (a < 100)")
                t.constraint(literal: "CONSTRAINT smaller CHECK (a < \(limit))")
                t.belongsTo("parent", inTable: "t", indexed: false)
            }
            try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT b FROM t"), "O'Brien?")
            XCTAssertThrowsError(try db.execute(sql: "INSERT INTO t (a) VALUES (10)"))
            try db.execute(sql: "INSERT INTO t (a, parentId) VALUES (2, 1)")
            XCTAssertThrowsError(try db.execute(sql: "INSERT INTO t (a, parentId) VALUES (3, 7)"))
        }
    }

    func testContradictoryDefinitionThrows() throws {
        try inDatabase { db in
            let mistake = { (error: any Error) in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
            }
            XCTAssertThrowsError(
                try db.create(table: "t") { t in
                    t.primaryKey(["a"])
                    t.primaryKey(["b"])
                }, "", mistake)
            XCTAssertThrowsError(
                try db.create(table: "t") { t in t.primaryKey { t.column(sql: "a") } }, "", mistake)
            struct Stop: Error {}
            XCTAssertThrowsError(try db.create(table: "t") { _ in throw Stop() }) { XCTAssert($0 is Stop) }
            XCTAssertFalse(try db.tableExists("t"))
        }
    }
}
