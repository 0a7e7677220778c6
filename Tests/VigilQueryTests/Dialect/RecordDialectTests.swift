import Foundation
import Vigil
import VigilPostgres
import VigilStorage
import XCTest

@testable import VigilQuery

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64?
    var name: String
}

private struct Key: Codable, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?
}

private struct NewKey: Codable, MutablePersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
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

    func testNewKeysAreReturnedByDialectsThatDoNotReportThem() throws {
        let new = Player(id: nil, name: "Ann")
        try assertSQL(.sqlite, #"INSERT INTO "player" ("id", "name") VALUES (?,?)"#) { try new.insert($0) }
        try assertSQL(.postgreSQL, #"INSERT INTO "player" ("name") VALUES (?) RETURNING "id""#) { db in
            try new.insert(db)
        }
        try assertSQL(
            .postgreSQL, #"INSERT INTO "player" ("name") VALUES (?) ON CONFLICT DO NOTHING RETURNING "id""#
        ) { try new.insert($0, onConflict: .ignore) }
        try assertSQL(.postgreSQL, #"INSERT INTO "player" DEFAULT VALUES RETURNING "id""#) { db in
            try Key(id: nil).insert(db)
        }
        let backend = try backend(.postgreSQL)
        try withDatabase(backend) { db in
            guard db.supports(.returning), db.supports(.upsert) else { return }
            backend.log.refuseStatements(false)
            var keys: [Int64] = []
            for _ in 1...2 {
                let key = NewKey(id: nil)
                keys.append(try key.inserted(db).id ?? -1)
            }
            XCTAssertEqual(keys, try Int64.fetchAll(db, sql: "SELECT id FROM player ORDER BY id"))
        }
    }

    func testUpsertsNameAKeyIfTheDialectNeedsIt() throws {
        let insertion = #"INSERT INTO "player" ("id", "name") VALUES (?,?)"#
        try assertSQL(
            .sqlite, insertion + #" ON CONFLICT DO UPDATE SET "name" = "excluded"."name" RETURNING "rowid""#
        ) { try player.upsert($0) }
        try assertSQL(
            .postgreSQL,
            insertion + #" ON CONFLICT("id") DO UPDATE SET "name" = "excluded"."name" RETURNING "id""#
        ) { try player.upsert($0) }
        let suffix = #" ON CONFLICT("name") DO UPDATE SET "score" = "player"."score" + ? RETURNING *, "id""#
        try assertSQL(.postgreSQL, insertion + suffix) { db in
            _ = try player.upsertAndFetch(db, onConflict: ["name"]) { _ in [Column("score") += 1] }
        }
        let schema = "CREATE TABLE player(id INTEGER, name TEXT)"
        let keyless = SQLDialect(rowIDColumns: [], upserts: .namedConflict)
        try withDatabase(backend(keyless), schema: schema) { db in
            guard db.supports(.upsert) else { return }
            XCTAssertThrowsError(try player.upsert(db)) { error in
                XCTAssertEqual(
                    (error as? DatabaseError)?.message,
                    "table player has no primary key: name the columns of a unique key in onConflict")
            }
        }
    }

    func testMigrationsAreProtectedByTheLockOfTheDialect() throws {
        let lock = SQLDialect.Delimiters(start: "SELECT 'lock'", end: "SELECT 'unlock'")
        let backend = try backend(SQLDialect(migrationLock: lock))
        var configuration = Configuration()
        configuration.backend = backend
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { try $0.execute(sql: "CREATE TABLE t(a)") }
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try migrator.migrate(dbQueue)
        migrator.registerMigration("b") { db in
            try db.execute(sql: "CREATE TABLE u(a); CREATE TABLE t(a)")
        }
        XCTAssertThrowsError(try migrator.migrate(dbQueue))
        let texts = backend.log.texts.map { $0.contains("CREATE TABLE t") ? "migration" : $0 }
        let known = [lock.start, "migration", lock.end]
        // The second migration is compiled as two statements of one text.
        XCTAssertEqual(
            texts.filter(known.contains), known + [lock.start, "migration", "migration", lock.end])
    }

    func testSchemasAreComparedOnlyIfThereCanBeANewDatabase() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { _ in }
        let migrated = migrator
        let schema =
            "CREATE TABLE vigil_migrations(identifier TEXT); INSERT INTO vigil_migrations VALUES ('a')"
        try withDatabase(backend(.sqlite), schema: schema) { db in
            XCTAssertFalse(try migrated.hasSchemaChanges(db))
        }
        let dialect = SQLDialect(missingFeatures: [.temporaryDatabases])
        try withDatabase(backend(dialect), schema: schema) { db in
            XCTAssertThrowsError(try migrated.hasSchemaChanges(db)) { error in
                XCTAssertEqual(
                    (error as? DatabaseError)?.message,
                    "the backend does not support comparing the schema with that of a new database")
            }
        }
    }

    func testAppliedMigrationsAreInTheMainSchemaOfTheConnection() throws {
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
