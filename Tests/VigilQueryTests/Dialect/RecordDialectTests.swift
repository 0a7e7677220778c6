import Foundation
import Vigil
import VigilStorage
import XCTest

@testable import VigilQuery

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64?
    var name: String
}

final class RecordDialectTests: DialectTestCase {
    private let player = Player(id: 1, name: "Ann")

    func testInsertionsThatIgnoreConflictsHaveAClauseOfTheDialect() throws {
        try assertSQL(.sqlite, #"INSERT OR IGNORE INTO "player" ("id", "name") VALUES (?,?)"#) { db in
            try player.insert(db, onConflict: .ignore)
        }
        try assertSQL(
            .postgreSQL, #"INSERT INTO "player" ("id", "name") VALUES (?,?) ON CONFLICT DO NOTHING"#
        ) { db in try player.insert(db, onConflict: .ignore) }
        try assertSQL(.postgreSQL, #"INSERT INTO "player" ("id", "name") VALUES (?,?)"#) { db in
            try player.insert(db)
        }
    }

    func testOtherResolutionsOfConflictsAreRefusedByDialectsWithoutThem() throws {
        let refusal = { (name: String) in "the conflict resolution \(name) here: use abort" }
        try assertUnsupported(.postgreSQL, refusal("replace")) { try player.insert($0, onConflict: .replace) }
        try assertUnsupported(.postgreSQL, refusal("ignore")) { try player.update($0, onConflict: .ignore) }
        try assertUnsupported(.postgreSQL, refusal("ignore")) { db in
            _ = try Player.updateAll(db, onConflict: .ignore, Column("name").set(to: "a"))
        }
        try assertSQL(.postgreSQL, #"UPDATE "player" SET "name"=? WHERE "id"=?"#) { try player.update($0) }
        try assertSQL(.sqlite, #"UPDATE OR IGNORE "player" SET "name"=? WHERE "id"=?"#) { db in
            try player.update(db, onConflict: .ignore)
        }
        try assertSQL(.sqlite, #"UPDATE OR FAIL "player" SET "name" = ?"#) { db in
            _ = try Player.updateAll(db, onConflict: .fail, Column("name").set(to: "a"))
        }
    }

    func testRowsThatWereNotInsertedAreSelectedByAFalseCondition() throws {
        for (dialect, condition) in [(SQLDialect.sqlite, "0"), (.postgreSQL, "FALSE")] {
            var backend = try backend(dialect)
            backend.missingFeatures = [.returning: "SQLite 3.35.0"]
            try withDatabase(backend) { db in
                try db.execute(
                    sql: "CREATE TRIGGER t BEFORE INSERT ON player BEGIN SELECT RAISE(IGNORE); END")
                // Old libraries do not have the literal FALSE.
                _ = try? player.insertAndFetch(db, as: Player.self)
                let sql = try XCTUnwrap(backend.log.texts.last)
                XCTAssertTrue(sql.hasSuffix(" FROM \"player\" WHERE \(condition)"), sql)
            }
        }
    }

    func testInsertedRowsAreSelectedByTheRowIDOfTheDialect() throws {
        let other = SQLDialect(rowIDColumns: ["oid"])
        for (dialect, column) in [(SQLDialect.sqlite, "rowid"), (other, "oid"), (.postgreSQL, "id")] {
            var backend = try backend(dialect)
            backend.missingFeatures = [.returning: "SQLite 3.35.0"]
            try withDatabase(backend) { db in
                _ = try player.insertAndFetch(db, as: Player.self)
                let sql = try XCTUnwrap(backend.log.texts.last)
                XCTAssertTrue(sql.hasSuffix(" FROM \"player\" WHERE \"\(column)\"=?"), sql)
            }
        }
    }

    func testAppliedMigrationsAreInTheMainSchemaOfTheDialect() throws {
        let schema = """
            ATTACH ':memory:' AS public;
            CREATE TABLE main.vigil_migrations(identifier TEXT NOT NULL PRIMARY KEY);
            CREATE TABLE public.vigil_migrations(identifier TEXT NOT NULL PRIMARY KEY);
            """
        try withDatabase(backend(.postgreSQL), schema: schema) { db in
            guard db.supports(.upsert) else { return }
            for _ in 1...2 {
                try AppliedMigrations.record(
                    Migration(
                        identifier: "a", mergedIdentifiers: [], checks: .immediate,
                        migrate: { _, _ in }), db)
            }
            XCTAssertEqual(try AppliedMigrations.identifiers(db), ["a"])
            let query = "SELECT COUNT(*) FROM "
            XCTAssertEqual(try Int.fetchOne(db, sql: query + "public.vigil_migrations"), 1)
            XCTAssertEqual(try Int.fetchOne(db, sql: query + "main.vigil_migrations"), 0)
        }
    }

    func testManyPrefetchedKeysAreLiteralsOfTheDialect() throws {
        for (dialect, literal) in [(SQLDialect.sqlite, "X'01'"), (.postgreSQL, #"'\x01'::bytea"#)] {
            try withDatabase(backend(dialect)) { db in
                let keys = PrefetchKeys([[Data([1]).databaseValue], [Data([2]).databaseValue]])
                let part = try XCTUnwrap(keys.parts(parameterLimit: 1, lengthLimit: 1).first)
                let (sql, arguments) = try SQL(part.condition(["a"])).build(db)
                XCTAssertEqual(sql, "\"a\" = (\(literal))")
                XCTAssertTrue(arguments.isEmpty)
            }
        }
    }
}
