import Vigil
import XCTest

/// The calls of a record's callbacks, in order.
private final class Calls {
    var names: [String] = []
    var failing: String?

    func add(_ name: String) throws {
        names.append(name)
        if name == failing { throw Refused() }
    }

    func take() -> [String] {
        defer { names = [] }
        return names
    }
}

private struct Refused: Error {}

private enum Misbehaviour { case none, skips, swallows }

private struct Player: Encodable, MutablePersistableRecord {
    enum CodingKeys: CodingKey { case id, name }
    var id: Int64?
    var name: String
    let calls = Calls()
    var misbehaviour = Misbehaviour.none

    init(id: Int64? = nil, name: String) {
        self.id = id
        self.name = name
    }

    private func run<T>(_ action: () throws -> T) throws {
        switch misbehaviour {
        case .none: _ = try action()
        case .skips: break
        case .swallows: _ = try? action()
        }
    }

    mutating func willInsert(_ db: Database) throws {
        try calls.add("willInsert")
        name += "!"
    }
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        try calls.add("aroundInsert")
        try run(insert)
        try calls.add("aroundInsert ends")
    }
    mutating func didInsert(_ inserted: InsertionSuccess) {
        calls.names.append("didInsert")
        id = inserted.rowID
        XCTAssertEqual(inserted.rowIDColumn, "id")
        XCTAssertEqual(inserted.persistenceContainer["id"]?.databaseValue, inserted.rowID.databaseValue)
        XCTAssertEqual(inserted.persistenceContainer["name"]?.databaseValue, name.databaseValue)
    }
    func willUpdate(_ db: Database, columns: Set<String>) throws {
        try calls.add("willUpdate \(columns.sorted())")
    }
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        try calls.add("aroundUpdate \(columns.sorted())")
        try run(update)
        try calls.add("aroundUpdate ends")
    }
    func didUpdate(_ updated: PersistenceSuccess) { calls.names.append("didUpdate") }
    func willSave(_ db: Database) throws { try calls.add("willSave") }
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        try calls.add("aroundSave")
        try run(save)
        try calls.add("aroundSave ends")
    }
    func didSave(_ saved: PersistenceSuccess) {
        calls.names.append("didSave")
        XCTAssertEqual(saved.persistenceContainer["name"]?.databaseValue, name.databaseValue)
    }
    func willDelete(_ db: Database) throws { try calls.add("willDelete") }
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        try calls.add("aroundDelete")
        try run(delete)
        try calls.add("aroundDelete ends")
    }
    func didDelete(deleted: Bool) { calls.names.append("didDelete \(deleted)") }
}

final class SavingCallbacksTests: XCTestCase {
    private let insertion = [
        "willSave", "aroundSave", "willInsert", "aroundInsert", "aroundInsert ends", "didInsert",
        "aroundSave ends", "didSave",
    ]

    private func update(_ columns: String) -> [String] {
        [
            "willSave", "aroundSave", "willUpdate \(columns)", "aroundUpdate \(columns)",
            "aroundUpdate ends", "didUpdate", "aroundSave ends", "didSave",
        ]
    }

    private func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
        }
        return dbQueue
    }

    func testInsertionCallsItsCallbacksInOrder() throws {
        try makeDatabase().write { db in
            var player = Player(name: "a")
            try player.insert(db)
            XCTAssertEqual(player.calls.take(), insertion)
            XCTAssertEqual(player.id, 1)
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT name FROM player"), "a!")
            var other = Player(name: "b")
            let id = try other.insertAndFetch(db, selection: [Column("id")]) { try Int64.fetchOne($0) }
            XCTAssertEqual(id, 2)
            XCTAssertEqual(other.id, 2)
            XCTAssertEqual(other.calls.take(), insertion)
        }
    }

    func testUpdateCallsItsCallbacksInOrder() throws {
        try makeDatabase().write { db in
            var player = try Player(name: "a").inserted(db)
            _ = player.calls.take()
            try player.update(db)
            XCTAssertEqual(player.calls.take(), update(#"["id", "name"]"#))
            try player.update(db, columns: ["name"])
            XCTAssertEqual(player.calls.take(), update(#"["name"]"#))
            try player.updateChanges(db) { $0.name = "b" }
            XCTAssertEqual(player.calls.take(), update(#"["name"]"#))
            try player.updateChanges(db) { $0.name = "b" }
            XCTAssertEqual(player.calls.take(), [])
            let name = try player.updateAndFetch(db, selection: [Column("name")]) { try String.fetchOne($0) }
            XCTAssertEqual(name, "b")
            XCTAssertEqual(player.calls.take(), update(#"["id", "name"]"#))
        }
    }

    func testSaveCallsTheCallbacksOfItsInsertionOrUpdate() throws {
        try makeDatabase().write { db in
            var player = Player(name: "a")
            try player.save(db)
            XCTAssertEqual(player.calls.take(), insertion)
            try player.save(db)
            XCTAssertEqual(player.calls.take(), update(#"["id", "name"]"#))
            player.id = 9
            player.name = "b"
            try player.save(db)
            XCTAssertEqual(
                player.calls.take(),
                [
                    "willSave", "aroundSave", #"willUpdate ["id", "name"]"#, #"aroundUpdate ["id", "name"]"#,
                    "willInsert", "aroundInsert", "aroundInsert ends", "didInsert", "aroundSave ends",
                    "didSave",
                ])
        }
    }

    func testDeletionCallsItsCallbacksInOrder() throws {
        try makeDatabase().write { db in
            let player = try Player(name: "a").inserted(db)
            _ = player.calls.take()
            try player.delete(db)
            try player.delete(db)
            let calls = ["willDelete", "aroundDelete", "aroundDelete ends"]
            XCTAssertEqual(player.calls.take(), calls + ["didDelete true"] + calls + ["didDelete false"])
        }
    }

    func testUpsertCallsItsCallbacksInOrder() throws {
        try makeDatabase().write { db in
            guard try db.returnsRows else { return }
            var player = Player(id: 1, name: "a")
            try player.upsert(db)
            XCTAssertEqual(player.calls.take(), insertion)
            try player.upsert(db)
            XCTAssertEqual(player.calls.take(), insertion)
        }
    }

    func testAFailedStatementCallsNoDidCallback() throws {
        try makeDatabase().write { db in
            var player = try Player(name: "a").inserted(db)
            _ = player.calls.take()
            player.name = "a"
            XCTAssertThrowsError(try player.insert(db)) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_CONSTRAINT)
            }
            XCTAssertEqual(
                player.calls.take(), ["willSave", "aroundSave", "willInsert", "aroundInsert"])
        }
    }

    func testAnErrorOfACallbackEndsTheOperation() throws {
        try makeDatabase().write { db in
            for (name, count) in [("willSave", 0), ("willInsert", 0), ("aroundInsert ends", 1)] {
                var player = Player(name: name)
                player.calls.failing = name
                XCTAssertThrowsError(try player.insert(db)) { XCTAssertTrue($0 is Refused) }
                XCTAssertEqual(player.calls.names.last, name)
                XCTAssertNil(player.id)
                XCTAssertEqual(try Player.fetchCount(db), count)
            }
            let player = Player(id: 1, name: "a")
            player.calls.failing = "willDelete"
            XCTAssertThrowsError(try player.delete(db))
            XCTAssertEqual(try Player.fetchCount(db), 1)
        }
    }

    func testAnAroundCallbackMustCallItsFunction() throws {
        try makeDatabase().write { db in
            var player = try Player(name: "a").inserted(db)
            player.misbehaviour = .skips
            let operations: [(inout Player) throws -> Void] = [
                { try $0.insert(db) }, { try $0.update(db) }, { try $0.save(db) }, { try $0.delete(db) },
            ]
            for operation in operations {
                XCTAssertThrowsError(try operation(&player)) { error in
                    let error = error as? DatabaseError
                    XCTAssertEqual(error?.resultCode, .SQLITE_MISUSE)
                    XCTAssertEqual(error?.message?.contains("did not call the function"), true)
                }
            }
            XCTAssertEqual(try Player.fetchCount(db), 1)
        }
    }

    func testAnAroundCallbackMustRethrowTheErrorOfItsFunction() throws {
        try makeDatabase().write { db in
            var player = Player(id: 5, name: "a")
            player.misbehaviour = .swallows
            XCTAssertThrowsError(try player.update(db)) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
            }
        }
    }

    func testClassesReceiveTheirRowID() throws {
        final class Team: Encodable, PersistableRecord {
            enum CodingKeys: CodingKey { case id, name }
            var id: Int64?
            let name = "red"
            func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try makeDatabase().write { db in
            try db.execute(sql: "CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT)")
            let team = Team()
            try team.insert(db)
            XCTAssertEqual(team.id, 1)
            let other = Team()
            try other.save(db)
            XCTAssertEqual(other.id, 2)
        }
    }
}
