import Vigil
import XCTest

final class SchemaChangeTests: XCTestCase {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text)
                t.column("score", .integer)
            }
            try db.execute(sql: "INSERT INTO player VALUES (1, 'a', 10), (2, 'b', 20)")
            try body(db)
        }
    }

    func testColumnsAreAddedRenamedAndDropped() throws {
        try XCTSkipIf(
            Database.sqliteLibVersionNumber < 3_035_000, "this library cannot rename and drop columns")
        try inDatabase { db in
            try db.alter(table: "player") { t in
                t.add(column: "bonus", .integer).notNull().defaults(to: -1).indexed()
                t.add(column: "captainId", .integer).references("player", onDelete: .setNull)
                t.addColumn(sql: "url TEXT")
                t.addColumn(literal: "color TEXT DEFAULT \("red")")
                t.rename(column: "name", to: "nickname")
                t.drop(column: "score")
            }
            XCTAssertEqual(
                try db.columns(in: "player").map(\.name),
                ["id", "nickname", "bonus", "captainId", "url", "color"])
            XCTAssertEqual(try db.indexes(on: "player").map(\.name), ["player_on_bonus"])
            XCTAssertEqual(try db.foreignKeys(on: "player").map(\.destinationColumns), [["id"]])
            XCTAssertEqual(
                try Row.fetchOne(db, sql: "SELECT bonus, color FROM player"), ["bonus": -1, "color": "red"])
        }
    }

    func testTablesAreRenamedAndDropped() throws {
        try inDatabase { db in
            try db.rename(table: "player", to: "old player")
            XCTAssertFalse(try db.tableExists("player"))
            try db.drop(table: "old player")
            XCTAssertFalse(try db.tableExists("old player"))
            XCTAssertThrowsError(try db.drop(table: "player"))
        }
    }

    func testIndexesAreCreatedAndDropped() throws {
        try inDatabase { db in
            try db.create(index: "byName", on: "player", columns: ["name"], options: .unique)
            try db.create(index: "byName", on: "player", columns: ["name"], options: .ifNotExists)
            try db.create(index: "byScore", on: "player", columns: ["score"], unique: true)
            try db.create(
                indexOn: "player", columns: ["name", "score"], condition: "score > \(5)" as SQL)
            let indexes = try db.indexes(on: "player").sorted { $0.name < $1.name }
            XCTAssertEqual(indexes.map(\.name), ["byName", "byScore", "index_player_on_name_score"])
            XCTAssertEqual(indexes.map(\.isUnique), [true, true, false])
            XCTAssertEqual(indexes.map(\.isPartial), [false, false, true])
            XCTAssertThrowsError(try db.execute(sql: "INSERT INTO player VALUES (3, 'a', 1)"))
            try db.drop(index: "byName")
            try db.drop(indexOn: "player", columns: ["NAME", "score"])
            XCTAssertEqual(try db.indexes(on: "player").map(\.name), ["byScore"])
            try db.drop(indexOn: "player", columns: ["name"])
            XCTAssertEqual(try db.indexes(on: "player").map(\.name), ["byScore"])
            XCTAssertThrowsError(try db.drop(indexOn: "missing", columns: ["name"]))
            try db.create(index: "again", on: "player", columns: ["score"])
            XCTAssertThrowsError(try db.drop(indexOn: "player", columns: ["score"]))
            XCTAssertThrowsError(try db.drop(index: "byName"))
        }
    }

    func testIndexesCanContainExpressions() throws {
        try inDatabase { db in
            try db.create(
                index: "byLowerName", on: "player", expressions: ["lower(name)" as SQL], options: .unique)
            XCTAssertThrowsError(try db.execute(sql: "INSERT INTO player VALUES (3, 'A', 1)"))
            try db.reindex(collation: .nocase)
            try db.reindex(collation: .unicodeCompare)
        }
    }

    func testViewsAreCreatedAndDropped() throws {
        try inDatabase { db in
            let minimum = 15
            let request: SQLRequest<Row> = "SELECT id, name FROM player WHERE score > \(minimum)"
            try db.create(view: "hero", as: request)
            try db.create(view: "hero", options: .ifNotExists, asLiteral: "SELECT 1")
            try db.create(
                view: "named", options: .temporary, columns: ["a", "b"],
                asLiteral: "SELECT id, \("it's") FROM hero")
            XCTAssertEqual(try Row.fetchAll(db, sql: "SELECT * FROM hero"), [["id": 2, "name": "b"]])
            XCTAssertEqual(try Row.fetchAll(db, sql: "SELECT * FROM named"), [["a": 2, "b": "it's"]])
            XCTAssertFalse(try db.viewExists("named", in: "main"))
            try db.drop(view: "named")
            try db.drop(view: "hero")
            XCTAssertFalse(try db.viewExists("hero"))
        }
    }
}
