import Dispatch
import Vigil
import XCTest

/// Observations whose fetch writes.
final class WritingObservationTests: XCTestCase {
    private static let schema =
        "CREATE TABLE a(v INTEGER); CREATE TABLE b(v INTEGER); CREATE TABLE log(v INTEGER)"

    private func onEachWriter(_ body: (any DatabaseWriter) throws -> Void) throws {
        try onEachQueue(schema: Self.schema) { try body($0) }
        try onEachPool { pool, _ in
            try pool.writeWithoutTransaction { try $0.execute(sql: Self.schema) }
            try body(pool)
        }
    }

    /// Returns an observation that counts the rows of `table`, and then adds a row to `written`.
    private func writing(
        _ written: String, counting table: String, limit: Int = .max
    ) -> ValueObservation<ValueReducers.Fetch<Int>> {
        var observation = ValueObservation.tracking { db in
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)") ?? -1
            if count < limit { try db.execute(sql: "INSERT INTO \(written) VALUES (1)") }
            return count
        }
        observation.requiresWriteAccess = true
        return observation
    }

    private func counting(_ table: String) -> ValueObservation<ValueReducers.Fetch<Int>> {
        .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)") ?? -1 }
    }

    private func start(
        _ observation: ValueObservation<ValueReducers.Fetch<Int>>, in writer: any DatabaseWriter,
        _ values: Recorder<Int>
    ) -> AnyDatabaseCancellable {
        observation.start(
            in: writer, scheduling: immediately, onError: { XCTFail("\($0)") },
            onChange: { values.append($0) }
        )
    }

    private func insert(into table: String, _ writer: any DatabaseWriter) throws {
        try writer.commit("INSERT INTO \(table) VALUES (0)")
    }

    func testAFetchThatChangesItsOwnRegionDoesNotRepeat() throws {
        try onEachWriter { writer in
            let values = Recorder<Int>()
            let cancellable = start(writing("a", counting: "a"), in: writer, values)
            values.wait(count: 1)
            try insert(into: "a", writer)
            values.wait(count: 2)
            try insert(into: "a", writer)
            values.wait(count: 3)
            // Each fetch has added a row after counting.
            XCTAssertEqual(values.all, [0, 2, 4])
            XCTAssertEqual(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM a") }, 5)
            XCTAssertEqual(writer.observations.map(\.fetchCount), [3])
            cancellable.cancel()
        }
    }

    func testAFetchThatCopiesATableDependsOnIt() throws {
        try onEachWriter { writer in
            let values = Recorder<Int>()
            var observation = ValueObservation.tracking { db in
                try db.execute(sql: "DELETE FROM log; INSERT INTO log SELECT * FROM a")
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log") ?? -1
            }
            observation.requiresWriteAccess = true
            let cancellable = start(observation, in: writer, values)
            values.wait(count: 1)
            try insert(into: "a", writer)
            XCTAssertEqual(values.wait(count: 2), [0, 1])
            cancellable.cancel()
        }
    }

    func testAWritingFetchNotifiesOtherObservationsOnce() throws {
        try onEachWriter { writer in
            let (values, others) = (Recorder<Int>(), Recorder<Int>())
            let commits = FetchCount()
            let other = start(counting("log").coalescing(.never), in: writer, others)
            let region = DatabaseRegionObservation(tracking: DatabaseRegion(table: "log")).start(
                in: writer, onError: { XCTFail("\($0)") }, onChange: { _ in commits.add() })
            let cancellable = start(writing("log", counting: "a"), in: writer, values)
            try insert(into: "a", writer)
            try insert(into: "a", writer)
            XCTAssertEqual(values.wait(count: 3), [0, 1, 2])
            XCTAssertEqual(others.wait(count: 4), [0, 1, 2, 3])
            XCTAssertEqual(commits.count, 3)
            try insert(into: "b", writer)
            XCTAssertEqual(commits.count, 3)
            for one in [other, region, cancellable] { one.cancel() }
        }
    }

    /// Each observation makes the other stale. Nested fetches would overflow the stack.
    func testObservationsThatChangeEachOthersRegionsTakeTurns() throws {
        let limit = 500
        try onEachWriter { writer in
            let (first, second) = (Recorder<Int>(), Recorder<Int>())
            let one = start(writing("b", counting: "a", limit: limit), in: writer, first)
            let two = start(writing("a", counting: "b", limit: limit), in: writer, second)
            // When one of them reaches the limit and stops writing, the other receives no more changes.
            for values in [first, second] { values.wait { $0.last.map { $0 >= limit - 1 } ?? false } }
            XCTAssertTrue(first.all == first.all.sorted())
            XCTAssertTrue(second.all == second.all.sorted())
            one.cancel()
            two.cancel()
        }
    }

    /// Commits of a transaction observer during a fetch do not belong to the fetch.
    func testChangesByOthersDuringAFetchAreNotMissed() throws {
        try onEachWriter { writer in
            let values = Recorder<Int>()
            let isTriggered = FetchCount()
            let regions = DatabaseRegionObservation(tracking: DatabaseRegion(table: "log")).start(
                in: writer, onError: { XCTFail("\($0)") },
                onChange: { db in assertNoError { try db.execute(sql: "INSERT INTO a VALUES (7)") } })
            let observer = CommitWriter { db in
                guard isTriggered.count == 0 else { return }
                isTriggered.add()
                assertNoError { try db.execute(sql: "INSERT INTO a VALUES (8)") }
            }
            let cancellable = start(writing("log", counting: "a", limit: 1), in: writer, values)
            // The first fetch wrote, and the region observation added a row.
            values.wait { $0.last == 1 }
            writer.add(transactionObserver: observer)
            try insert(into: "b", writer)
            values.wait { $0.last == 2 }
            cancellable.cancel()
            regions.cancel()
            writer.remove(transactionObserver: observer)
        }
    }

    func testChangesByATransactionObserverDuringTheFirstFetchAreNotMissed() throws {
        try onEachWriter { writer in
            let values = Recorder<Int>()
            let isTriggered = FetchCount()
            let observer = CommitWriter { db in
                guard isTriggered.count == 0 else { return }
                isTriggered.add()
                assertNoError { try db.execute(sql: "INSERT INTO a VALUES (8)") }
            }
            writer.add(transactionObserver: observer)
            let cancellable = start(writing("log", counting: "a"), in: writer, values)
            values.wait { $0.last == 1 }
            XCTAssertEqual(values.all, [0, 1])
            cancellable.cancel()
            writer.remove(transactionObserver: observer)
        }
    }

    func testAFailedFetchIsRolledBackWithoutNotifications() throws {
        try onEachWriter { writer in
            let commits = FetchCount()
            let region = DatabaseRegionObservation(tracking: DatabaseRegion(table: "log")).start(
                in: writer, onError: { XCTFail("\($0)") }, onChange: { _ in commits.add() })
            var observation = ValueObservation.tracking { db -> Int in
                try db.execute(sql: "INSERT INTO log VALUES (1)")
                throw Objection()
            }
            observation.requiresWriteAccess = true
            let errors = Recorder<any Error>()
            let cancellable = observation.start(
                in: writer, scheduling: immediately, onError: { errors.append($0) },
                onChange: { XCTFail("\($0)") })
            errors.wait(count: 1)
            XCTAssertEqual(commits.count, 0)
            region.cancel()
            cancellable.cancel()
        }
    }
}

/// Runs a closure after each commit.
// Guard: the writer's accesses, which alone use it.
private final class CommitWriter: TransactionObserver, @unchecked Sendable {
    private let didCommit: (Database) -> Void

    init(_ didCommit: @escaping (Database) -> Void) { self.didCommit = didCommit }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { didCommit(db) }
    func databaseDidRollback(_ db: Database) {}
}
