import Synchronization
import Vigil
import VigilTesting
import XCTest

/// Tests lists that are consumed in other ways than by callbacks, and long ones.
final class ListConsumptionTests: XCTestCase {
    private let ranking = ValueObservation.trackingList(ListedPlayer.ranking)

    func testAsynchronousSequences() async throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            for writer in try makeWriters(configuration, in: directory) {
                try await writer.write { db in try db.execute(sql: ListedPlayer.table) }
                var replay = ListReplay<ListedPlayer>()
                var score = 10
                for try await list in ranking.values(in: writer) {
                    replay.show(list)
                    XCTAssertEqual(list.first { $0.id == 1 }?.score, score)
                    if score == 13 { break }
                    score += 1
                    try await writer.write { [score] db in
                        try db.execute(sql: "UPDATE player SET score = ? WHERE id = 1", arguments: [score])
                    }
                }
                XCTAssertNil(replay.complaint)
                XCTAssertEqual(replay.shown.map(\.id), [4, 2, 3, 1])
            }
        }
    }

    func testSharedObservations() throws {
        try onEachListWriter { writer in
            let shared = ranking.labeled("shared").shared(
                in: writer, scheduling: ImmediateInlineScheduler(), extent: .observationLifetime)
            let (first, second) = (
                Recorder<ObservedList<ListedPlayer>>(), Recorder<ObservedList<ListedPlayer>>()
            )
            let steps = [
                (first, "UPDATE player SET score = 40 WHERE id = 1"),
                // Another subscriber receives the last list, and then the same ones.
                (second, "DELETE FROM player WHERE id = 3"),
            ]
            let cancellables = try steps.map { lists, sql in
                let cancellable = shared.start(onError: { XCTFail("\($0)") }, onChange: { lists.append($0) })
                try writer.write { db in try db.execute(sql: sql) }
                try writer.waitForFetches()
                return cancellable
            }
            XCTAssertEqual(first.all.map { $0.map(\.id) }, [[4, 2, 3, 1], [1, 4, 2, 3], [1, 4, 2]])
            XCTAssertEqual(second.all.map { $0.map(\.id) }, [[1, 4, 2, 3], [1, 4, 2]])
            for lists in [first, second] {
                var replay = ListReplay<ListedPlayer>()
                for list in lists.all { replay.show(list) }
                XCTAssertNil(replay.complaint)
            }
            let change = try XCTUnwrap(second.all.last).changes(since: first.all[0])
            XCTAssertEqual(change.removed, RangeSet(2..<3))
            let status = try XCTUnwrap(writer.observations.first { $0.label == "shared" }?.list)
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1])
            XCTAssertEqual(status.fetchedRowCount, 2)
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    func testRowsThatWereReplacedAreReleased() throws {
        try onEachListWriter { writer in
            let rowCount = 1_200
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, number)")
                for id in 1...rowCount {
                    try db.execute(sql: "INSERT INTO item VALUES (?, 0)", arguments: [id])
                }
            }
            let shown = Mutex(ObservedList<CountedItem>())
            let request = SQLRequest<CountedItem>(sql: "SELECT * FROM item ORDER BY number, id")
            let cancellable = ValueObservation.trackingList(request).start(
                in: writer, scheduling: ImmediateInlineScheduler(), onError: { XCTFail("\($0)") },
                onChange: { list in shown.withLock { $0 = list } })
            for number in 1...50 {
                try writer.write { db in
                    try db.execute(
                        sql: "UPDATE item SET number = ? WHERE id = ?", arguments: [number % 3, number])
                }
                try writer.waitForFetches()
                XCTAssertTrue(shown.withLock { $0.contains { $0.number == number % 3 } })
                // Beside the list, there is at most the row that was replaced.
                XCTAssertLessThanOrEqual(CountedItem.count, rowCount + 1)
            }
            // The version before is not kept if many rows, or all, were fetched.
            for condition in ["id <= 290", "1"] {
                try writer.write { db in
                    try db.execute(sql: "UPDATE item SET number = number + 5 WHERE \(condition)")
                }
                try writer.waitForFetches()
                XCTAssertGreaterThanOrEqual(shown.withLock { $0.last?.number } ?? 0, 5)
                XCTAssertEqual(CountedItem.count, rowCount, condition)
            }
            XCTAssertEqual(
                writer.observations.first?.list?.fullFetchCounts, ["first fetch": 1, "many rows": 1])
            cancellable.cancel()
            shown.withLock { $0 = ObservedList() }
            XCTAssertEqual(CountedItem.count, 0)
        }
    }

    func testAFetchThatMayWriteFetchesAllRows() throws {
        try onEachListWriter { writer in
            var observation = ranking
            observation.requiresWriteAccess = true
            let fixture = try ListFixture(writer, observation)
            try fixture.write("UPDATE player SET score = 40 WHERE id = 1")
            try fixture.write("UPDATE player SET score = 25 WHERE id = 2")
            XCTAssertEqual(fixture.list().map(\.id), [1, 4, 2, 3])
            let status = try fixture.status()
            XCTAssertEqual(status.fullFetchCounts, ["first fetch": 1, "unknown changes": 2])
            XCTAssertEqual(status.rowFetchCount, 0)
        }
    }

    func testAListIsUpdatedRowByRowAfterMoreCommitsThanTheLogKeeps() throws {
        try onEachListWriter { writer in
            let fixture = try ListFixture(writer, ranking)
            for score in 1...300 {
                try writer.write { db in
                    try db.execute(sql: "UPDATE player SET score = ? WHERE id = 1", arguments: [score])
                }
                if score.isMultiple(of: 20) { try fixture.drain() }
            }
            try fixture.drain()
            XCTAssertEqual(fixture.list().first?.score, 300)
            XCTAssertEqual(try fixture.status().fullFetchCounts, ["first fetch": 1])
        }
    }

    /// Members of groups have no memory between fetches.
    func testGroupsFetchAllRows() throws {
        try onEachListWriter { writer in
            let group = ObservationGroup(
                ranking,
                ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT SUM(score) FROM player") }
            )
            let values = Recorder<(list: ObservedList<ListedPlayer>, sum: Int?)>()
            let cancellable = group.start(
                in: writer, scheduling: ImmediateInlineScheduler(), onError: { XCTFail("\($0)") },
                onChange: { values.append(($0, $1)) })
            try writer.write { db in try db.execute(sql: "UPDATE player SET score = 40 WHERE id = 1") }
            // A group computes its values on another thread.
            values.wait { $0.count == 2 }
            XCTAssertEqual(values.all.map { $0.list.map(\.id) }, [[4, 2, 3, 1], [1, 4, 2, 3]])
            XCTAssertEqual(values.all.map { $0.sum }, [90, 120])
            let change = values.all[1].list.changes(since: values.all[0].list)
            XCTAssertEqual(change.moved.map { [$0.from, $0.to] }, [[3, 0]])
            cancellable.cancel()
        }
    }
}

/// An element that counts its instances.
private final class CountedItem: FetchableRecord, Sendable {
    private static let instances = Atomic(0)
    static var count: Int { instances.load(ordering: .acquiring) }

    let number: Int

    init(row: Row) {
        number = row["number"]
        Self.instances.add(1, ordering: .acquiringAndReleasing)
    }

    deinit { Self.instances.subtract(1, ordering: .acquiringAndReleasing) }
}
