import Vigil
import XCTest

private class Player: Record {
    var id: Int64?
    var name: String
    var score: Int

    override class var databaseTableName: String { "player" }

    init(id: Int64? = nil, name: String, score: Int) {
        self.id = id
        self.name = name
        self.score = score
        super.init()
    }

    required init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        score = row["score"] ?? 0
        try super.init(row: row)
    }

    override func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["Name"] = name
        container["score"] = score
    }

    override func didInsert(_ inserted: InsertionSuccess) {
        super.didInsert(inserted)
        id = inserted.rowID
    }
}

private final class Coach: Player {
    var savedCount = 0
    override class var databaseTableName: String { "coach" }
    override class var persistenceConflictPolicy: PersistenceConflictPolicy {
        PersistenceConflictPolicy(insert: .replace)
    }
    override func didSave(_ saved: PersistenceSuccess) { savedCount += 1 }
}

final class RecordClassTests: XCTestCase {
    private let log = StatementLog()

    private func makeDatabase() throws -> DatabaseQueue {
        try log.makeDatabase(
            """
            CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
            CREATE TABLE coach(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
            """)
    }

    func testANewRecordHasChanges() throws {
        let player = Player(name: "Arthur", score: 1)
        XCTAssertTrue(player.hasDatabaseChanges)
        XCTAssertEqual(try player.databaseChanges, ["id": nil, "Name": nil, "score": nil])
        XCTAssertTrue(try Player(row: ["id": 1, "name": "a", "score": 1]).hasDatabaseChanges)
    }

    func testASavedRecordHasNoChanges() throws {
        try makeDatabase().write { db in
            let player = Player(name: "Arthur", score: 1)
            try player.insert(db)
            XCTAssertEqual(player.id, 1)
            XCTAssertFalse(player.hasDatabaseChanges)
            player.score = 2
            XCTAssertEqual(try player.databaseChanges, ["score": 1.databaseValue])
            try player.update(db)
            XCTAssertFalse(player.hasDatabaseChanges)
            player.name = "Barbara"
            try player.save(db)
            XCTAssertFalse(player.hasDatabaseChanges)
            try player.delete(db)
            XCTAssertTrue(player.hasDatabaseChanges)
        }
    }

    func testAFetchedRecordHasNoChanges() throws {
        try makeDatabase().write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 1)")
            let players = try Player.fetchAll(db)
            XCTAssertEqual(players.map(\.hasDatabaseChanges), [false])
            let row = try XCTUnwrap(Row.fetchOne(db, sql: "SELECT * FROM player"))
            XCTAssertFalse(try Player(row: row).hasDatabaseChanges)
            let partial = try Player.fetchAll(db, sql: "SELECT id, name FROM player")
            XCTAssertEqual(try partial.first?.databaseChanges, ["score": nil])
        }
    }

    func testUpdateChangesWritesOnlyChangedColumns() throws {
        try makeDatabase().write { db in
            let player = Player(name: "Arthur", score: 1)
            try player.insert(db)
            _ = log.take()
            XCTAssertFalse(try player.updateChanges(db))
            XCTAssertEqual(log.take(), [])
            player.score = 5
            XCTAssertTrue(try player.updateChanges(db))
            XCTAssertEqual(log.take(), [#"UPDATE "player" SET "score"=5 WHERE "id"=1"#])
            XCTAssertFalse(player.hasDatabaseChanges)
        }
    }

    func testUpdateOfSomeColumnsKeepsTheChangesOfOthers() throws {
        try makeDatabase().write { db in
            let player = Player(name: "Arthur", score: 1)
            try player.insert(db)
            player.name = "Barbara"
            player.score = 2
            try player.update(db, columns: ["SCORE"])
            XCTAssertEqual(try player.databaseChanges, ["Name": "Arthur".databaseValue])
            XCTAssertTrue(try player.updateChanges(db))
            XCTAssertFalse(player.hasDatabaseChanges)
            XCTAssertEqual(
                try Row.fetchOne(db, sql: "SELECT * FROM player"), ["id": 1, "name": "Barbara", "score": 2])
            let unfetched = Player(id: 1, name: "Craig", score: 3)
            try unfetched.update(db, columns: ["score"])
            XCTAssertEqual(try unfetched.databaseChanges, ["Name": nil])
        }
    }

    func testSubclassesAreSavedAsThemselves() throws {
        try makeDatabase().write { db in
            let coach = Coach(id: 1, name: "Craig", score: 1)
            let player: Player = coach
            try player.insert(db)
            XCTAssertEqual(
                log.take(),
                [#"INSERT OR REPLACE INTO "coach" ("id", "Name", "score") VALUES (1,'Craig',1)"#])
            try player.update(db)
            XCTAssertEqual(
                log.take(), [#"UPDATE "coach" SET "name"='Craig', "score"=1 WHERE "id"=1"#])
            XCTAssertEqual(coach.savedCount, 2)
            XCTAssertTrue(try player.exists(db))
            XCTAssertEqual(try Player.fetchCount(db), 0)
            XCTAssertEqual(try Coach.fetchAll(db).map(\.name), ["Craig"])
        }
    }
}
