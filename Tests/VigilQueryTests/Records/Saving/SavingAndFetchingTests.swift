import Vigil
import XCTest

#if RECORD_MACROS
    import VigilMacros

    @Record
    private struct Player: Equatable {
        // The tests expect RETURNING *.
        static var databaseSelection: [any SQLSelectable] { [AllColumns()] }
        var id: Int64?
        var name: String
        var score: Int
    }

    @Record("player", .keyless)
    private struct NewPlayer {
        enum Columns {
            static let score = Column("score")
        }
        var name: String
    }

    @Record
    private struct Country: Equatable {
        @RecordColumn(.primaryKey) var code: String
        var name: String
    }

    @Record(.keyless, .readOnly)
    private struct Name: Equatable { var name: String }
#else
    private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
        enum Columns {
            static let id = Column("id")
            static let score = Column("score")
        }
        var id: Int64?
        var name: String
        var score: Int
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    private struct NewPlayer: Codable, PersistableRecord {
        enum Columns {
            static let score = Column("score")
        }
        static let databaseTableName = "player"
        var name: String
    }

    private struct Country: Codable, Equatable, FetchableRecord, PersistableRecord {
        var code: String
        var name: String
    }

    private struct Name: Decodable, Equatable, FetchableRecord, TableRecord {
        static var databaseSelection: [any SQLSelectable] { [Column("name")] }
        var name: String
    }
#endif

final class SavingAndFetchingTests: XCTestCase {
    private let log = StatementLog()

    private func makeDatabase() throws -> DatabaseQueue {
        try log.makeDatabase(
            """
            CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER DEFAULT 7);
            CREATE TABLE country(code TEXT PRIMARY KEY COLLATE NOCASE, name TEXT) WITHOUT ROWID;
            """)
    }

    func testInsertAndFetchReturnsTheRowWithItsDefaults() throws {
        try makeDatabase().write { db in
            let player = try NewPlayer(name: "Arthur").insertAndFetch(db, as: Player.self)
            XCTAssertEqual(player, Player(id: 1, name: "Arthur", score: 7))
            let insertion = #"INSERT INTO "player" ("name") VALUES ('Arthur')"#
            XCTAssertEqual(
                log.take(),
                try db.returnsRows
                    ? [insertion + " RETURNING *"]
                    : [insertion, #"SELECT * FROM "player" WHERE "rowid"=1"#])
            XCTAssertEqual(
                try Player(id: nil, name: "Barbara", score: 1).insertAndFetch(db),
                Player(id: 2, name: "Barbara", score: 1))
            XCTAssertEqual(
                try Country(code: "PT", name: "Portugal").insertAndFetch(db),
                Country(code: "PT", name: "Portugal"))
        }
    }

    func testInsertAndFetchReturnsTheStoredRowOfAVirtualTable() throws {
        struct Document: Codable, FetchableRecord, MutablePersistableRecord {
            static let databaseTableName = "document"
            static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
            var rowid: Int64?
            var body: String
        }
        struct Box: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
            static let databaseTableName = "box"
            var id: Int64?
            var minX: Double
            var maxX: Double
        }
        let dbQueue = try log.makeDatabase(
            "CREATE VIRTUAL TABLE document USING fts4(body); CREATE VIRTUAL TABLE box USING rtree(id, minX, maxX)"
        )
        try dbQueue.write { db in
            XCTAssertEqual(try Document(rowid: nil, body: "a").insertAndFetch(db).rowid, 1)
            XCTAssertEqual(try Document(rowid: nil, body: "b").saveAndFetch(db).rowid, 2)
            let box = try Box(id: nil, minX: 1.3, maxX: 2).insertAndFetch(db)
            XCTAssertEqual(box.id, 1)
            XCTAssertLessThan(box.minX, 1.3)
            XCTAssertEqual(try Box.fetchAll(db), [box])
        }
    }

    func testInsertAndFetchSelectsColumns() throws {
        try makeDatabase().write { db in
            let score = try NewPlayer(name: "a").insertAndFetch(db, selection: [Column("score") + 1]) {
                try Int.fetchOne($0)
            }
            XCTAssertEqual(score, 8)
            let components = try NewPlayer(name: "b").insertAndFetch(db) {
                try Int.fetchOne($0)
            } select: {
                [$0.score]
            }
            XCTAssertEqual(components, 7)
            let row = try NewPlayer(name: "c").insertAndFetch(
                db,
                selection: [
                    .allColumns(excluding: ["NAME"]), Column("name").forKey("n"), SQL("\("x") AS x"),
                ] as [any SQLSelectable]
            ) { try Row.fetchOne($0) }
            XCTAssertEqual(row, ["id": 3, "score": 7, "n": "c", "x": "x"])
            XCTAssertThrowsError(try NewPlayer(name: "d").insertAndFetch(db, selection: []) { _ in }) {
                XCTAssertEqual(($0 as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
            }
        }
    }

    func testInsertAndFetchUsesTheSelectionOfTheReturnedType() throws {
        struct NewCountry: Codable, PersistableRecord {
            static let databaseTableName = "country"
            var code: String, name: String
        }
        try makeDatabase().write { db in
            let name = try NewCountry(code: "PT", name: "Portugal").insertAndFetch(db, as: Name.self)
            XCTAssertEqual(name, Name(name: "Portugal"))
        }
    }

    func testUpdateAndFetchReturnsTheRow() throws {
        try makeDatabase().write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 50)")
            struct Renamed: Codable, PersistableRecord {
                static let databaseTableName = "player"
                var id: Int64, name: String
            }
            let renamed = Renamed(id: 1, name: "Barbara")
            _ = log.take()
            XCTAssertEqual(
                try renamed.updateAndFetch(db, as: Player.self), Player(id: 1, name: "Barbara", score: 50))
            let update = #"UPDATE "player" SET "name"='Barbara' WHERE "id"=1"#
            XCTAssertEqual(
                log.take(),
                try db.returnsRows
                    ? [update + " RETURNING *"] : [update, #"SELECT * FROM "player" WHERE "id"=1"#])
            let score = try renamed.updateAndFetch(
                db, columns: [Column("name")], selection: [Column("score")]
            ) { try Int.fetchOne($0) }
            XCTAssertEqual(score, 50)
            XCTAssertThrowsError(
                try Renamed(id: 2, name: "x").updateAndFetch(db, as: Player.self)
            ) { error in
                XCTAssertEqual(
                    error as? RecordError,
                    .recordNotFound(databaseTableName: "player", key: ["id": 2.databaseValue]))
            }
        }
    }

    func testUpdateChangesAndFetchReturnsTheRow() throws {
        try makeDatabase().write { db in
            var player = try Player(id: nil, name: "Arthur", score: 1).inserted(db)
            try db.execute(sql: "UPDATE player SET score = 100")
            let fetched = try player.updateChangesAndFetch(db) { $0.name = "Barbara" }
            XCTAssertEqual(fetched, Player(id: 1, name: "Barbara", score: 100))
            let name = try player.updateChangesAndFetch(
                db, selection: [Column("name")], fetch: { try String.fetchOne($0) },
                modify: { $0.name = "Craig" })
            XCTAssertEqual(name, "Craig")
        }
    }

    func testSaveAndFetchReturnsTheRow() throws {
        try makeDatabase().write { db in
            var player = Player(id: nil, name: "Arthur", score: 1)
            XCTAssertEqual(try player.saveAndFetch(db), Player(id: 1, name: "Arthur", score: 1))
            player.id = 1
            XCTAssertEqual(try player.saveAndFetch(db), player)
            player.id = 5
            XCTAssertEqual(try player.saveAndFetch(db), player)
            XCTAssertEqual(
                try NewPlayer(name: "b").saveAndFetch(db, as: Player.self), Player(id: 6, name: "b", score: 7)
            )
            XCTAssertEqual(try Player.fetchCount(db), 3)
        }
    }

    func testAFailedFetchUndoesTheFallback() throws {
        struct Refused: Error {}
        let dbQueue = try makeDatabase()
        try dbQueue.write { db in
            guard try !db.returnsRows else { return }
            XCTAssertThrowsError(
                try NewPlayer(name: "a").insertAndFetch(db, selection: [Column("id")]) { _ in throw Refused()
                })
            XCTAssertEqual(try Player.fetchCount(db), 0)
        }
    }

    // MARK: - Upserts

    func testUpsertInsertsOrUpdates() throws {
        try makeDatabase().write { db in
            guard try db.returnsRows else { return }
            var player = Player(id: nil, name: "Arthur", score: 1)
            try player.upsert(db)
            XCTAssertEqual(player.id, 1)
            player.score = 2
            _ = log.take()
            try player.upsert(db)
            XCTAssertEqual(
                log.take(),
                [
                    """
                    INSERT INTO "player" ("id", "name", "score") VALUES (1,'Arthur',2) \
                    ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "score" = "excluded"."score" \
                    RETURNING "rowid"
                    """
                ])
            XCTAssertEqual(try Player.fetchAll(db), [player])
        }
    }

    func testUpsertOfATableWithoutRowIDs() throws {
        try makeDatabase().write { db in
            guard try db.returnsRows else { return }
            try Country(code: "PT", name: "Portugal").upsert(db)
            try Country(code: "pt", name: "PORTUGAL").upsert(db)
            let country = try Country(code: "ES", name: "Spain").upsertAndFetch(db)
            XCTAssertEqual(country, Country(code: "ES", name: "Spain"))
            XCTAssertEqual(
                try Country.fetchAll(db), [country, Country(code: "PT", name: "PORTUGAL")])
        }
    }

    func testUpsertAndFetchAppliesAssignments() throws {
        try makeDatabase().write { db in
            guard try db.returnsRows else { return }
            var player = try Player(id: 1, name: "Arthur", score: 10).inserted(db)
            player.name = "Barbara"
            player.score = 3
            _ = log.take()
            let upserted = try player.upsertAndFetch(
                db, onConflict: ["id"],
                doUpdate: { excluded in
                    [
                        Column("score").set(to: Column("score") + excluded["score"]),
                        Column("name").noOverwrite,
                    ]
                })
            XCTAssertEqual(upserted, Player(id: 1, name: "Arthur", score: 13))
            XCTAssertEqual(
                log.take(),
                [
                    """
                    INSERT INTO "player" ("id", "name", "score") VALUES (1,'Barbara',3) \
                    ON CONFLICT("id") DO UPDATE SET "score" = "score" + "excluded"."score" \
                    RETURNING *, "rowid"
                    """
                ])
        }
    }

    func testUpsertCanKeepTheExistingRow() throws {
        try makeDatabase().write { db in
            guard try db.returnsRows else { return }
            try NewPlayer(name: "Arthur").insert(db)
            var player = Player(id: 1, name: "Barbara", score: 1)
            _ = log.take()
            let upserted = try player.upsertAndFetch(db, updating: .noColumnUnlessSpecified)
            XCTAssertEqual(upserted, Player(id: 1, name: "Arthur", score: 7))
            XCTAssertEqual(
                log.take(),
                [
                    """
                    INSERT INTO "player" ("id", "name", "score") VALUES (1,'Barbara',1) \
                    ON CONFLICT DO UPDATE SET "id" = "id" RETURNING *, "rowid"
                    """
                ])
            let name = try player.upsertAndFetch(db, as: Name.self)
            XCTAssertEqual(name, Name(name: "Barbara"))
        }
    }

    func testUpsertNeedsARecentLibrary() throws {
        try makeDatabase().write { db in
            guard try !db.returnsRows else { return }
            XCTAssertThrowsError(try Country(code: "PT", name: "Portugal").upsert(db)) { error in
                let error = error as? DatabaseError
                XCTAssertEqual(error?.resultCode, .SQLITE_MISUSE)
                XCTAssertEqual(error?.message?.contains("ON CONFLICT DO UPDATE"), true, "\(error as Any)")
            }
            XCTAssertEqual(try Country.fetchCount(db), 0)
        }
    }
}
