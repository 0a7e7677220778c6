import Vigil
import XCTest

#if RECORD_MACROS
    import VigilMacros

    @Record
    private struct Player: Equatable {
        var id: Int64
        var email: String
    }

    @Record("player")
    private struct Replacing {
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
        var id: Int64
        var email: String
    }
#else
    private struct Player: Codable, Equatable, FetchableRecord, PersistableRecord {
        var id: Int64
        var email: String
    }

    private struct Replacing: Codable, PersistableRecord {
        static let databaseTableName = "player"
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
        var id: Int64
        var email: String
    }
#endif

final class SavingConflictTests: XCTestCase {
    private let log = StatementLog()

    private func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try log.makeDatabase("CREATE TABLE player(id INTEGER PRIMARY KEY, email TEXT UNIQUE)")
        try dbQueue.write { db in
            try Player(id: 1, email: "a").insert(db)
            try Player(id: 2, email: "b").insert(db)
        }
        _ = log.take()
        return dbQueue
    }

    private func players(_ db: Database) throws -> [Player] {
        try Player.fetchAll(db).sorted { $0.id < $1.id }
    }

    func testTheDefaultPolicyLetsStatementsFail() throws {
        XCTAssertEqual(Player.persistenceConflictPolicy.conflictResolutionForInsert, .abort)
        XCTAssertEqual(Player.persistenceConflictPolicy.conflictResolutionForUpdate, .abort)
        try makeDatabase().write { db in
            XCTAssertThrowsError(try Player(id: 3, email: "a").insert(db))
            XCTAssertThrowsError(try Player(id: 2, email: "a").update(db))
            XCTAssertThrowsError(try Player(id: 2, email: "a").save(db))
            XCTAssertEqual(try players(db), [Player(id: 1, email: "a"), Player(id: 2, email: "b")])
        }
    }

    func testThePolicyOfATypeIsUsed() throws {
        try makeDatabase().write { db in
            try Replacing(id: 3, email: "a").insert(db)
            XCTAssertEqual(
                log.take(), [#"INSERT OR REPLACE INTO "player" ("id", "email") VALUES (3,'a')"#])
            try Replacing(id: 3, email: "b").update(db)
            XCTAssertEqual(log.take(), [#"UPDATE OR REPLACE "player" SET "email"='b' WHERE "id"=3"#])
            XCTAssertEqual(try players(db), [Player(id: 3, email: "b")])
        }
    }

    func testTheParameterTakesPrecedence() throws {
        try makeDatabase().write { db in
            try Player(id: 3, email: "a").insert(db, onConflict: .ignore)
            XCTAssertEqual(
                log.take(), [#"INSERT OR IGNORE INTO "player" ("id", "email") VALUES (3,'a')"#])
            XCTAssertThrowsError(try Replacing(id: 3, email: "a").insert(db, onConflict: .abort))
            try Player(id: 3, email: "b").save(db, onConflict: .replace)
            XCTAssertEqual(try players(db), [Player(id: 1, email: "a"), Player(id: 3, email: "b")])
            try Player(id: 3, email: "a").update(db, onConflict: .replace, columns: ["email"])
            XCTAssertEqual(try players(db), [Player(id: 3, email: "a")])
        }
    }

    func testAnIgnoredUpdateFindsNoRow() throws {
        try makeDatabase().write { db in
            XCTAssertThrowsError(try Player(id: 2, email: "a").update(db, onConflict: .ignore)) { error in
                XCTAssertEqual(
                    error as? RecordError,
                    .recordNotFound(databaseTableName: "player", key: ["id": 2.databaseValue]))
            }
        }
    }

    func testAnIgnoredInsertionReturnsNoRow() throws {
        try makeDatabase().write { db in
            XCTAssertThrowsError(try Player(id: 3, email: "a").insertAndFetch(db, onConflict: .ignore)) {
                XCTAssertEqual(
                    $0 as? RecordError,
                    .recordNotFound(databaseTableName: "player", key: ["id": 3.databaseValue]))
            }
        }
    }
}
