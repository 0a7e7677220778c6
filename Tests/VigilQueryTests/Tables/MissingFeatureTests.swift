import Foundation
import Vigil
import XCTest

/// The errors of table builders on a library that lacks a feature, such as Debian's SQLCipher.
final class MissingFeatureTests: XCTestCase {
    /// Runs `body`, which needs a feature: on a library that lacks it, it must throw an error that names the
    /// feature, the version that has it and the version of the library.
    private func check(
        _ feature: LibraryFeature, from version: String, file: StaticString = #filePath, line: UInt = #line,
        _ body: (Database) throws -> Void
    ) throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score)")
                let libraryVersion = try XCTUnwrap(String.fetchOne(db, sql: "SELECT sqlite_version()"))
                let isOld = libraryVersion.compare(version, options: .numeric) == .orderedAscending
                XCTAssertEqual(db.supports(feature), !isOld, "\(feature)", file: file, line: line)
                guard isOld else { return try body(db) }
                assertDatabaseError(
                    .SQLITE_MISUSE,
                    "\(feature) needs SQLite \(version) or later, and the library is version \(libraryVersion)",
                    file: file, line: line
                ) { try body(db) }
            }
        }
    }

    func testStrictTablesNeedAVersion() throws {
        try check(.strictTables, from: "3.37.0") { db in
            try db.create(table: "t", options: .strict) { t in t.column("a", .text) }
        }
    }

    func testGeneratedColumnsNeedAVersion() throws {
        try check(.generatedColumns, from: "3.31.0") { db in
            try db.create(table: "t") { t in
                t.column("a", .text)
                t.column("b", .text).generatedAs(sql: "a || a")
            }
        }
        try check(.generatedColumns, from: "3.31.0") { db in
            try db.alter(table: "player") { t in t.add(column: "double").generatedAs(sql: "score * 2") }
        }
    }

    func testRenamingColumnsNeedsAVersion() throws {
        try check(.renameColumn, from: "3.25.0") { db in
            try db.alter(table: "player") { t in t.rename(column: "name", to: "nickname") }
        }
    }

    func testDroppingColumnsNeedsAVersion() throws {
        try check(.dropColumn, from: "3.35.0") { db in
            try db.alter(table: "player") { t in t.drop(column: "score") }
        }
    }

    func testConditionalValuesNeedNoVersion() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player(id INTEGER PRIMARY KEY, name, score);
                        INSERT INTO player VALUES (1, 'a', 5), (2, 'b', NULL), (3, 'c', 20);
                        """)
                let request = Table<Row>("player").order(Column("id"))
                    .select(iif(Column("score") > 10, "good", "bad"), as: String.self)
                XCTAssertEqual(try request.fetchAll(db), ["bad", "bad", "good"])
                let (sql, _) = try SQL("\(iif(Column("score") > 10, 1, 2) + 1)").build(db)
                XCTAssertEqual(
                    sql,
                    db.supports(.iif)
                        ? #"IIF("score" > ?, ?, ?) + ?"# : #"CASE WHEN "score" > ? THEN ? ELSE ? END + ?"#)
            }
        }
    }

    func testOtherOrdersAreNotBlamedForSyntaxErrors() throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                for sql in [
                    "SELECT 1 ORDER BY 1 )", "SELECT * FROM (SELECT 1 ORDER BY 1) x y z",
                    "SELECT 1 WHERE 1 IN (SELECT 1 ORDER BY 1) x",
                ] {
                    XCTAssertThrowsError(try db.execute(sql: sql)) { error in
                        let message = (error as? DatabaseError)?.message ?? ""
                        XCTAssertTrue(message.hasSuffix("syntax error"), message)
                    }
                }
            }
        }
    }

    private let statements: [LibraryFeature: String] = [
        .upsert: "INSERT INTO player VALUES (1, 'a', 1) ON CONFLICT (id) DO UPDATE SET score = 1",
        .upsertOnAnyConflict: "INSERT INTO player VALUES (1, 'a', 1) ON CONFLICT DO UPDATE SET score = 1",
        .returning: "INSERT INTO player VALUES (1, 'a', 1) RETURNING id",
        .renameColumn: "ALTER TABLE player RENAME COLUMN score TO points",
        .dropColumn: "ALTER TABLE player DROP COLUMN score",
        .strictTables: "CREATE TABLE t(a TEXT) STRICT",
        .generatedColumns: "CREATE TABLE t(a, b AS (a + 1))",
        .vacuumInto: "VACUUM INTO ''",
        .nullsOrdering: "SELECT * FROM player ORDER BY name DESC NULLS FIRST",
        .aggregateFilter: "SELECT SUM(score) FILTER (WHERE id > 1) FROM player",
        .aggregateOrdering: "SELECT SUM(score ORDER BY id) FROM player",
        .iif: "SELECT IIF(id > 1, name, score) FROM player",
        .json: "SELECT JSON_ARRAY(id) FROM player",
        .jsonOperators: "SELECT name ->> 'key' FROM player",
        .jsonErrorPosition: "SELECT JSON_ERROR_POSITION(name) FROM player",
        .jsonValidationOptions: "SELECT JSON_VALID(name, 1) FROM player",
        .jsonb: "SELECT JSONB(name) FROM player",
    ]

    func testSupportedFeaturesAreThoseThatCompile() throws {
        XCTAssertEqual(statements.count, LibraryFeature.allCases.count)
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score)")
                for (feature, sql) in statements {
                    // The library decides: it compiles the statement if and only if it has the feature.
                    let compiles = (try? db.makeStatement(sql: sql)) != nil
                    XCTAssertEqual(db.supports(feature), compiles, "\(feature)")
                }
            }
        }
    }

    func testExpressionsNeedAVersion() throws {
        func check(
            _ feature: LibraryFeature, from version: String, line: UInt = #line,
            _ request: QueryInterfaceRequest<Row>
        ) throws {
            try self.check(feature, from: version, line: line) { db in _ = try request.fetchAll(db) }
        }
        let (id, name, score) = (Column("id"), Column("name"), Column("score"))
        let players = Table("player")
        try check(.nullsOrdering, from: "3.30.0", players.order(name.ascNullsLast))
        try check(.nullsOrdering, from: "3.30.0", players.order(name.descNullsFirst))
        try check(.aggregateFilter, from: "3.30.0", players.select(sum(score, filter: id > 1)))
        try check(.aggregateOrdering, from: "3.44.0", players.select(sum(score, orderBy: id)))
        try check(.jsonOperators, from: "3.38.0", players.filter(JSONColumn("name")["a"] == 1))
        try check(.json, from: "3.38.0", players.select(Database.jsonArray([id])))
        try check(
            .jsonErrorPosition, from: "3.42.0", players.select(Database.jsonErrorPosition(name)))
        try check(
            .jsonValidationOptions, from: "3.45.0",
            players.select(Database.jsonIsValid(name, options: [.json, .json5])))
        try check(.jsonb, from: "3.45.0", players.select(Database.jsonbArray([id])))
    }

    func testSyntaxErrorsNameTheMissingFeature() throws {
        try onEachQueue { dbQueue in
            try dbQueue.inDatabase { db in
                try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score)")
                for (feature, sql) in statements where !db.supports(feature) {
                    XCTAssertThrowsError(try db.execute(sql: sql)) { error in
                        let message = (error as? DatabaseError)?.message ?? ""
                        XCTAssertTrue(
                            message.contains("syntax error; ")
                                || message.contains("no such function: ")
                                || message.contains("wrong number of arguments"), message)
                        XCTAssertTrue(message.contains(" needs SQLite 3."), message)
                        XCTAssertTrue(message.contains(", and the library is version 3."), message)
                    }
                }
                // Other mistakes keep the message of the library.
                assertDatabaseError(.SQLITE_ERROR, "near \"SELEC\": syntax error") {
                    try db.execute(sql: "SELEC 1")
                }
                for sql in [
                    "SELECT name FROM player WHERE ORDER BY id", "SELECT COUNT(*) FROM (SELECT ORDER BY 1)",
                ] {
                    assertDatabaseError(.SQLITE_ERROR, "near \"ORDER\": syntax error") {
                        try db.execute(sql: sql)
                    }
                }
                assertDatabaseError(.SQLITE_ERROR, "no such function: jsn") {
                    try db.execute(sql: "SELECT jsn(1)")
                }
            }
        }
    }
}
