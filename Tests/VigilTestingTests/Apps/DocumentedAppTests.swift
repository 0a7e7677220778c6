// The samples of `TestingAnApp.md` and `VigilTesting.md`, which a tidy test compares with this file.
import Testing
import Vigil
import VigilTesting
import XCTest

struct PlayerList {
    static let observation = ValueObservation.tracking { db in
        try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
    }

    static func open(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
            try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
        }
        return dbQueue
    }

    static func add(_ name: String, to dbQueue: DatabaseQueue) async throws {
        try await dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
        }
    }
}

final class PlayerListTests: XCTestCase {
    func testANewPlayerIsShown() async throws {
        let dbQueue = try PlayerList.open()
        let recorder = PlayerList.observation.record(in: dbQueue)
        let before = try await recorder.next()
        XCTAssertEqual(before, [])

        try await PlayerList.add("Ada", to: dbQueue)
        let after = try await recorder.next()
        XCTAssertEqual(after, ["Ada"])
    }

    func testANoteChangesNothing() async throws {
        let counter = FetchCounter()
        var configuration = Configuration()
        configuration.observationMonitor = counter
        let dbQueue = try PlayerList.open(configuration)
        let recorder = PlayerList.observation.record(in: dbQueue)
        _ = try await recorder.next()

        try await counter.expect(0, in: dbQueue) {
            try await dbQueue.write { db in try db.execute(sql: "INSERT INTO note (text) VALUES ('x')") }
        }
        try await recorder.expectNoValue()
    }

    func testSearchesAreDebounced() async throws {
        let dbQueue = try PlayerList.open()
        let clock = ManualClock()
        let recorder = PlayerList.observation.debounced(.seconds(1)).timed(by: clock).record(in: dbQueue)
        _ = try await recorder.next()
        try await PlayerList.add("Ada", to: dbQueue)
        try await recorder.expectNoValue()
        clock.advance(by: .seconds(1))
        let value = try await recorder.next()
        XCTAssertEqual(value, ["Ada"])
    }

    func testNothingIsAddedIfTheDiskIsFull() async throws {
        try await FullDiskTests().nothingIsAddedIfTheDiskIsFull()
    }

    func testARecorderIsStarted() async throws {
        let dbQueue = try PlayerList.open()
        let recorder = PlayerList.observation.record(in: dbQueue)
        let initial = try await recorder.next()
        XCTAssertEqual(initial, [])
    }
}

struct FullDiskTests {
    @Test func nothingIsAddedIfTheDiskIsFull() async throws {
        let faults = StatementFaults()
        var configuration = Configuration()
        faults.add(to: &configuration)
        let dbQueue = try PlayerList.open(configuration)
        let recorder = PlayerList.observation.record(in: dbQueue)
        _ = try await recorder.next()

        faults.fail(containing: "INSERT INTO player", with: DatabaseError(resultCode: .SQLITE_FULL))
        await #expect(throws: DatabaseError.self) { try await PlayerList.add("Ada", to: dbQueue) }
        try await recorder.expectNoValue()
    }
}
