import Dispatch
import Synchronization
import Vigil
import XCTest

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// Counts the commits that modify a region.
private final class Notifications: TransactionObserver {
    private let region: DatabaseRegion
    private let ignoresKinds: Bool
    private(set) var count = 0
    private var isTouched = false

    init(_ region: DatabaseRegion, ignoresKinds: Bool = false) {
        self.region = region
        self.ignoresKinds = ignoresKinds
    }

    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
        ignoresKinds || region.isModified(byEventsOfKind: kind)
    }
    func databaseDidChange(with event: DatabaseEvent) { isTouched = true }
    func databaseDidCommit(_ db: Database) {
        if isTouched { count += 1 }
        isTouched = false
    }
    func databaseDidRollback(_ db: Database) { isTouched = false }
}

final class SavingObservationTests: XCTestCase {
    private func makeDatabase() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
        }
        return dbQueue
    }

    func testMethodReferencesOfRecordsAreObserved() throws {
        let dbQueue = try makeDatabase()
        let values = Mutex<[[Player]]>([])
        let arrival = DispatchSemaphore(value: 0)
        let cancellable = ValueObservation.tracking(Player.fetchAll).start(
            in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
            onChange: { players in
                values.withLock { $0.append(players) }
                arrival.signal()
            })
        let player = try dbQueue.write { try Player(id: nil, name: "Arthur", score: 1).inserted($0) }
        try dbQueue.write { db in
            var player = player
            try player.updateChanges(db) { $0.score = 2 }
        }
        for _ in 1...3 { XCTAssertEqual(arrival.wait(timeout: .now() + 30), .success) }
        cancellable.cancel()
        XCTAssertEqual(
            values.withLock { $0 },
            [[], [player], [Player(id: player.id, name: "Arthur", score: 2)]])
    }

    func testUpdatesModifyOnlyTheColumnsThatTheyWrite() throws {
        let dbQueue = try makeDatabase()
        let player = try dbQueue.write { try Player(id: nil, name: "Arthur", score: 1).inserted($0) }
        let name = Notifications(DatabaseRegion(table: "player", columns: ["name"]))
        let score = Notifications(DatabaseRegion(table: "player", columns: ["score"]))
        dbQueue.add(transactionObserver: name)
        dbQueue.add(transactionObserver: score)
        try dbQueue.write { try player.update($0, columns: ["score"]) }
        XCTAssertEqual([name.count, score.count], [0, 1])
        try dbQueue.write { db in
            var changed = player
            try changed.updateChanges(db) { $0.name = "Barbara" }
        }
        XCTAssertEqual([name.count, score.count], [1, 1])
        try dbQueue.write { try player.update($0) }
        XCTAssertEqual([name.count, score.count], [2, 2])
    }

    func testUpdateChangesWithoutADifferenceNotifiesNoObserver() throws {
        let dbQueue = try makeDatabase()
        let player = try dbQueue.write { try Player(id: nil, name: "Arthur", score: 1).inserted($0) }
        let all = Notifications(.fullDatabase, ignoresKinds: true)
        dbQueue.add(transactionObserver: all)
        try dbQueue.write { db in
            var player = player
            try player.updateChanges(db) { $0.score = 1 }
            try player.updateChanges(db, from: player)
        }
        XCTAssertEqual(all.count, 0)
        try dbQueue.write { try player.update($0) }
        XCTAssertEqual(all.count, 1)
    }

    func testExistsReadsTheTable() throws {
        let dbQueue = try makeDatabase()
        try dbQueue.write { db in
            let player = try Player(id: nil, name: "Arthur", score: 1).inserted(db)
            for _ in 1...2 {
                var region = DatabaseRegion()
                XCTAssertTrue(try db.recordingSelection(&region) { try player.exists(db) })
                XCTAssertTrue(region.description.contains("player("), region.description)
            }
        }
    }
}
