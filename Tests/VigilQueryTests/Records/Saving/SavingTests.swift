import Foundation
import Vigil
import XCTest

#if RECORD_MACROS
    import VigilMacros

    @Record
    private struct Player: Hashable {
        var id: Int64?
        var name: String
        var score: Int?
    }

    @Record
    private struct Country: Hashable {
        @RecordColumn(.primaryKey) var code: String
        var name: String
    }

    @Record
    private struct Membership: Hashable {
        @RecordColumn(.primaryKey) var team: String
        @RecordColumn(.primaryKey) var player: Int
        var role: String?
    }

    @Record(.keyless)
    private struct Tag { var name: String }

    @Record
    private struct Flag { var id: Int }
#else
    private struct Player: Codable, Hashable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var score: Int?

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    private struct Country: Codable, Hashable, FetchableRecord, PersistableRecord {
        var code: String
        var name: String
    }

    private struct Membership: Codable, Hashable, FetchableRecord, PersistableRecord {
        var team: String
        var player: Int
        var role: String?
    }

    private struct Tag: Codable, PersistableRecord {
        var name: String
    }

    private struct Flag: Codable, PersistableRecord {
        var id: Int
    }
#endif

final class SavingTests: XCTestCase {
    private let log = StatementLog()

    private func makeDatabase() throws -> DatabaseQueue {
        try log.makeDatabase(
            """
            CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER DEFAULT 7);
            CREATE TABLE country(code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
            CREATE TABLE membership(team TEXT, player INTEGER, role TEXT, PRIMARY KEY(team, player));
            CREATE TABLE tag(name TEXT);
            CREATE TABLE flag(id INTEGER PRIMARY KEY);
            """)
    }

    private func rows(_ db: Database, _ table: String) throws -> [Row] {
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1, 2")
        _ = log.take()
        return rows
    }

    func testInsertWritesTheEncodedColumns() throws {
        try makeDatabase().write { db in
            var player = Player(id: nil, name: "Arthur", score: nil)
            try player.insert(db)
            XCTAssertEqual(
                log.take(), [#"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',NULL)"#])
            XCTAssertEqual(player.id, 1)
            try Country(code: "PT", name: "Portugal").insert(db)
            XCTAssertEqual(
                log.take(), [#"INSERT INTO "country" ("code", "name") VALUES ('PT','Portugal')"#])
            XCTAssertEqual(try rows(db, "player"), [["id": 1, "name": "Arthur", "score": nil]])
            XCTAssertEqual(try rows(db, "country"), [["code": "PT", "name": "Portugal"]])
        }
    }

    func testInsertKeepsAGivenRowID() throws {
        try makeDatabase().write { db in
            var player = Player(id: 42, name: "Arthur", score: 1)
            try player.insert(db)
            XCTAssertEqual(player.id, 42)
        }
    }

    func testInsertedReturnsTheRecordWithItsRowID() throws {
        try makeDatabase().write { db in
            let player = try Player(id: nil, name: "Arthur", score: 1).inserted(db)
            XCTAssertEqual(player, Player(id: 1, name: "Arthur", score: 1))
        }
    }

    func testASecondInsertionWithTheSameKeyFails() throws {
        try makeDatabase().write { db in
            let country = Country(code: "PT", name: "Portugal")
            try country.insert(db)
            XCTAssertThrowsError(try country.insert(db)) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_CONSTRAINT)
            }
        }
    }

    func testUpdateWritesAllColumnsExceptThoseOfThePrimaryKey() throws {
        try makeDatabase().write { db in
            var player = try Player(id: nil, name: "Arthur", score: 1).inserted(db)
            _ = log.take()
            player.score = 2
            try player.update(db)
            XCTAssertEqual(
                log.take(), [#"UPDATE "player" SET "name"='Arthur', "score"=2 WHERE "id"=1"#])
            XCTAssertEqual(try rows(db, "player"), [["id": 1, "name": "Arthur", "score": 2]])
        }
    }

    func testUpdateOfSomeColumnsIgnoresCaseAndUnknownColumns() throws {
        try makeDatabase().write { db in
            let player = try Player(id: nil, name: "Arthur", score: 1).inserted(db)
            _ = log.take()
            try player.update(db, columns: ["SCORE", "ID", "unknown"])
            XCTAssertEqual(log.take(), [#"UPDATE "player" SET "score"=1 WHERE "id"=1"#])
            try player.update(db, columns: [Column("name")])
            XCTAssertEqual(log.take(), [#"UPDATE "player" SET "name"='Arthur' WHERE "id"=1"#])
            let columns: [any ColumnExpression] = [Column("score")]
            try player.update(db, columns: columns)
            XCTAssertEqual(log.take(), [#"UPDATE "player" SET "score"=1 WHERE "id"=1"#])
        }
    }

    func testUpdateWithoutColumnsAssignsThePrimaryKey() throws {
        try makeDatabase().write { db in
            try Flag(id: 1).insert(db)
            _ = log.take()
            try Flag(id: 1).update(db)
            XCTAssertEqual(log.take(), [#"UPDATE "flag" SET "id"=1 WHERE "id"=1"#])
            XCTAssertThrowsError(try Flag(id: 2).update(db))
        }
    }

    func testUpdateWithoutARowThrowsTheKey() throws {
        try makeDatabase().write { db in
            let player = Player(id: 3, name: "Arthur", score: 1)
            XCTAssertThrowsError(try player.update(db)) { error in
                XCTAssertEqual(
                    error as? RecordError,
                    .recordNotFound(databaseTableName: "player", key: ["id": 3.databaseValue]))
            }
            XCTAssertThrowsError(try Membership(team: "a", player: 1).update(db)) { error in
                XCTAssertEqual(
                    error as? RecordError,
                    .recordNotFound(
                        databaseTableName: "membership",
                        key: ["team": "a".databaseValue, "player": 1.databaseValue]))
            }
            XCTAssertEqual(
                player.recordNotFound(db) as? RecordError,
                .recordNotFound(databaseTableName: "player", key: ["id": 3.databaseValue]))
        }
    }

    func testUpdateWithoutAKeyRunsNoStatement() throws {
        try makeDatabase().write { db in
            _ = log.take()
            XCTAssertThrowsError(try Player(id: nil, name: "Arthur", score: 1).update(db)) { error in
                XCTAssertEqual(
                    error as? RecordError, .recordNotFound(databaseTableName: "player", key: ["id": .null]))
            }
            XCTAssertThrowsError(try Tag(name: "a").update(db)) { error in
                XCTAssertEqual(
                    error as? RecordError, .recordNotFound(databaseTableName: "tag", key: ["rowid": .null]))
            }
            XCTAssertEqual(log.take(), [])
        }
    }

    func testUpdateChangesWritesOnlyChangedColumns() throws {
        try makeDatabase().write { db in
            var player = try Player(id: nil, name: "Arthur", score: 1).inserted(db)
            let old = player
            _ = log.take()
            XCTAssertTrue(try player.updateChanges(db) { $0.score = 5 })
            XCTAssertEqual(log.take(), [#"UPDATE "player" SET "score"=5 WHERE "id"=1"#])
            XCTAssertEqual(player.score, 5)
            XCTAssertTrue(try old.updateChanges(db, from: player))
            XCTAssertEqual(log.take(), [#"UPDATE "player" SET "score"=1 WHERE "id"=1"#])
        }
    }

    func testUpdateChangesWithoutADifferenceRunsNoStatement() throws {
        try makeDatabase().write { db in
            var player = try Player(id: nil, name: "Arthur", score: 1).inserted(db)
            _ = log.take()
            XCTAssertFalse(try player.updateChanges(db) { $0.score = 1 })
            XCTAssertFalse(try player.updateChanges(db, from: player))
            XCTAssertNil(try player.updateChangesAndFetch(db) { $0.name = "Arthur" })
            XCTAssertEqual(log.take(), [])
        }
    }

    func testSaveUpdatesOrInserts() throws {
        try makeDatabase().write { db in
            var player = Player(id: nil, name: "Arthur", score: 1)
            try player.save(db)
            XCTAssertEqual(player.id, 1)
            XCTAssertEqual(
                log.take(), [#"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',1)"#])
            player.name = "Barbara"
            try player.save(db)
            XCTAssertEqual(
                log.take(), [#"UPDATE "player" SET "name"='Barbara', "score"=1 WHERE "id"=1"#])
            try player.delete(db)
            _ = log.take()
            let saved = try player.saved(db)
            XCTAssertEqual(
                log.take(),
                [
                    #"UPDATE "player" SET "name"='Barbara', "score"=1 WHERE "id"=1"#,
                    #"INSERT INTO "player" ("id", "name", "score") VALUES (1,'Barbara',1)"#,
                ])
            XCTAssertEqual(saved, player)
        }
    }

    func testDeleteAndExistsUseThePrimaryKey() throws {
        try makeDatabase().write { db in
            let membership = Membership(team: "red", player: 1, role: nil)
            XCTAssertFalse(try membership.exists(db))
            XCTAssertFalse(try membership.delete(db))
            try membership.insert(db)
            _ = log.take()
            XCTAssertTrue(try membership.exists(db))
            XCTAssertTrue(try membership.delete(db))
            XCTAssertEqual(
                log.take(),
                [
                    #"SELECT EXISTS (SELECT 1 FROM "membership" WHERE "team"='red' AND "player"=1)"#,
                    #"DELETE FROM "membership" WHERE "team"='red' AND "player"=1"#,
                ])
            XCTAssertFalse(try membership.exists(db))
        }
    }

    func testDeleteAndExistsWithoutAKeyRunNoStatement() throws {
        try makeDatabase().write { db in
            let player = Player(id: nil, name: "Arthur", score: 1)
            _ = log.take()
            XCTAssertFalse(try player.exists(db))
            XCTAssertFalse(try player.delete(db))
            XCTAssertEqual(log.take(), [])
        }
    }

    func testATableWithoutPrimaryKeyIsIdentifiedByItsRowID() throws {
        struct RowIDTag: Codable, MutablePersistableRecord {
            static let databaseTableName = "tag"
            var rowid: Int64?
            var name: String
            mutating func didInsert(_ inserted: InsertionSuccess) { rowid = inserted.rowID }
        }
        try makeDatabase().write { db in
            var tag = RowIDTag(name: "a")
            try tag.insert(db)
            XCTAssertEqual(tag.rowid, 1)
            _ = log.take()
            tag.name = "b"
            try tag.update(db)
            XCTAssertEqual(log.take(), [#"UPDATE "tag" SET "name"='b' WHERE "rowid"=1"#])
            XCTAssertTrue(try tag.delete(db))
        }
    }

    func testColumnNamesIgnoreCase() throws {
        struct Shouting: PersistableRecord {
            static let databaseTableName = "PLAYER"
            func encode(to container: inout PersistenceContainer) {
                container["Id"] = 1
                container["NAME"] = "Arthur"
                container["name"] = "Barbara"
            }
        }
        try makeDatabase().write { db in
            try Shouting().insert(db)
            XCTAssertEqual(
                log.take(), [#"INSERT INTO "PLAYER" ("Id", "NAME") VALUES (1,'Barbara')"#])
            try Shouting().update(db)
            XCTAssertEqual(log.take(), [#"UPDATE "PLAYER" SET "name"='Barbara' WHERE "id"=1"#])
            XCTAssertEqual(try rows(db, "player"), [["id": 1, "name": "Barbara", "score": 7]])
        }
    }

    func testRecordsOfOneTypeMayEncodeDifferentColumns() throws {
        struct Varying: PersistableRecord {
            static let databaseTableName = "player"
            var columns: [(String, any DatabaseValueConvertible)]
            func encode(to container: inout PersistenceContainer) {
                for (column, value) in columns { container[column] = value }
            }
        }
        try makeDatabase().write { db in
            for _ in 1...2 {
                try Varying(columns: [("id", 1), ("name", "a")]).save(db)
                try Varying(columns: [("id", 2), ("score", 3), ("name", "b")]).save(db)
                try Varying(columns: [("name", "c")]).insert(db)
            }
            XCTAssertEqual(
                try Row.fetchAll(db, sql: "SELECT id, name, score FROM player ORDER BY id"),
                [
                    ["id": 1, "name": "a", "score": 7], ["id": 2, "name": "b", "score": 3],
                    ["id": 3, "name": "c", "score": 7], ["id": 4, "name": "c", "score": 7],
                ])
        }
    }

    func testARecordWithoutColumnsCannotBeSaved() throws {
        struct Empty: PersistableRecord {
            static let databaseTableName = "player"
            func encode(to container: inout PersistenceContainer) {}
        }
        try makeDatabase().write { db in
            XCTAssertThrowsError(try Empty().insert(db)) { error in
                let error = error as? DatabaseError
                XCTAssertEqual(error?.resultCode, .SQLITE_MISUSE)
                XCTAssertEqual(error?.message?.contains("encodes no columns"), true)
            }
            XCTAssertFalse(try Empty().updateChanges(db, from: Empty()))
            XCTAssertThrowsError(try Empty().update(db)) { XCTAssertTrue($0 is RecordError) }
        }
    }

    func testAMissingTableOrColumnIsAnError() throws {
        struct Missing: Codable, PersistableRecord { var a = 1 }
        struct Wrong: Codable, PersistableRecord {
            static let databaseTableName = "flag"
            var a = 1
        }
        try makeDatabase().write { db in
            XCTAssertThrowsError(try Missing().insert(db)) { error in
                XCTAssertEqual((error as? DatabaseError)?.message, "no such table: missing")
            }
            XCTAssertThrowsError(try Wrong().insert(db)) { error in
                XCTAssertEqual(
                    (error as? DatabaseError)?.message?.contains("has no column named a"), true)
            }
        }
    }

    func testSavingFollowsChangesOfTheSchema() throws {
        let dbQueue = try makeDatabase()
        try dbQueue.write { db in
            try Country(code: "PT", name: "Portugal").insert(db)
            try db.execute(sql: "DROP TABLE country; CREATE TABLE country(name TEXT PRIMARY KEY, code TEXT)")
            try Country(code: "ES", name: "Spain").insert(db)
            _ = log.take()
            try Country(code: "E", name: "Spain").update(db)
            XCTAssertEqual(log.take(), [#"UPDATE "country" SET "code"='E' WHERE "name"='Spain'"#])
        }
    }

    func testATableNameMayChangeBetweenRecords() throws {
        enum Current { nonisolated(unsafe) static var table = "country" }
        struct Movable: Codable, PersistableRecord {
            static var databaseTableName: String { Current.table }
            var name: String
        }
        try makeDatabase().write { db in
            Current.table = "tag"
            try Movable(name: "a").insert(db)
            Current.table = "player"
            try Movable(name: "b").insert(db)
            XCTAssertEqual(
                log.take(),
                [#"INSERT INTO "tag" ("name") VALUES ('a')"#, #"INSERT INTO "player" ("name") VALUES ('b')"#])
        }
    }

    func testAViewIsUpdatedByItsTriggers() throws {
        struct Source: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
                ["id"]
            }
        }
        var configuration = Configuration()
        configuration.schemaSource = Source()
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE base(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                    CREATE VIEW player AS SELECT * FROM base;
                    CREATE TRIGGER added INSTEAD OF INSERT ON player BEGIN
                        INSERT INTO base VALUES (NEW.id, NEW.name, NEW.score); END;
                    CREATE TRIGGER changed INSTEAD OF UPDATE ON player BEGIN
                        UPDATE base SET name = NEW.name, score = NEW.score WHERE id = NEW.id; END;
                    CREATE TRIGGER removed INSTEAD OF DELETE ON player BEGIN
                        DELETE FROM base WHERE id = OLD.id; END;
                    """)
            var player = Player(id: 1, name: "Arthur", score: 1)
            try player.insert(db)
            player = Player(id: 1, name: "Barbara", score: 2)
            try player.update(db)
            XCTAssertEqual(try Player.fetchAll(db), [player])
            XCTAssertThrowsError(try Player(id: 2, name: "", score: 0).update(db))
            XCTAssertTrue(try player.delete(db))
            XCTAssertFalse(try player.delete(db))
        }
    }
}
