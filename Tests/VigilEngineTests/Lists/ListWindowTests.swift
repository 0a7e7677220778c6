import Vigil
import XCTest

/// Lists whose window changes while they are observed.
final class ListWindowTests: XCTestCase {
    private struct Player: Codable, FetchableRecord, TableRecord, Sendable, Equatable {
        var id: Int64
        var score: Int
    }

    private let ranking = Player.order(Column("score").desc)

    private func ids(_ fixture: ListFixture<Player>) -> [Int64] { fixture.list().map(\.id) }

    func testSQLRequestsHaveWindows() throws {
        try onEachListWriter { writer in
            let window = ListWindow(limit: 2)
            let least = 10
            let request: SQLRequest<Player> =
                "SELECT * FROM player WHERE score >= \(least) ORDER BY score DESC; -- the best"
            let fixture = try ListFixture(writer, .trackingList(request, window: window))
            XCTAssertEqual(ids(fixture), [4, 2])
            window.set(limit: 2, offset: 1)
            try fixture.drain()
            XCTAssertEqual(ids(fixture), [2, 3])
            try fixture.write("UPDATE player SET score = 35 WHERE id = 3")
            XCTAssertEqual(ids(fixture), [4, 2])
            XCTAssertEqual(try fixture.status().rowFetchCount, 1)
            XCTAssertEqual(fixture.errors.all, [])
            XCTAssertEqual(try writer.read { db in try request.limit(1).fetchAll(db).map(\.id) }, [3])
        }
    }

    func testTheListHasTheRowsOfTheWindow() throws {
        try onEachListWriter { writer in
            let window = ListWindow(limit: 1)
            let fixture = try ListFixture(writer, .trackingList(ranking, window: window))
            XCTAssertEqual(ids(fixture), [4])
            let shown = try XCTUnwrap(fixture.last)
            window.limit += 2
            try fixture.drain()
            XCTAssertEqual(ids(fixture), [4, 2, 3])
            let change = try XCTUnwrap(fixture.last).changes(since: shown)
            XCTAssertEqual(change.inserted, RangeSet(1..<3))
            XCTAssertTrue(change.removed.isEmpty && change.updated.isEmpty && change.moved.isEmpty)
            window.set(limit: 2, offset: 2)
            try fixture.drain()
            XCTAssertEqual(ids(fixture), [3, 1])
            try fixture.write("UPDATE player SET score = 25 WHERE id = 1")
            XCTAssertEqual(ids(fixture), [1, 3])
            XCTAssertEqual(window.limit, 2)
            XCTAssertEqual(window.offset, 2)
            let count = fixture.count
            window.set(limit: 2, offset: 2)
            try fixture.drain()
            XCTAssertEqual(fixture.count, count)
            XCTAssertEqual(fixture.errors.all, [])
        }
    }

    func testObservationsOfEachCommitFollowTheWindow() throws {
        try onEachListWriter { writer in
            let window = ListWindow(limit: 1)
            let fixture = try ListFixture(
                writer, .trackingList(ranking, window: window).coalescing(.never))
            for limit in 2...4 {
                window.limit = limit
                try fixture.write("UPDATE player SET score = score + 1 WHERE id = 1")
            }
            fixture.wait { $0.last?.count == 4 }
            XCTAssertEqual(fixture.list().map(\.score), [30, 30, 20, 13])
        }
    }

    func testAPausedObservationFollowsTheWindowLater() throws {
        try onEachListWriter { writer in
            let (window, pause) = (ListWindow(limit: 1), ObservationPause())
            let fixture = try ListFixture(
                writer, .trackingList(ranking, window: window).pausable(by: pause))
            pause.pause()
            window.limit = 3
            try fixture.drain()
            XCTAssertEqual(ids(fixture), [4])
            pause.resume()
            try fixture.drain()
            XCTAssertEqual(ids(fixture), [4, 2, 3])
        }
    }

    func testAWindowThatChangesDuringTheStartIsFollowed() throws {
        try onEachListWriter { writer in
            for coalescing in [ObservationCoalescing.automatic, .never] {
                let window = ListWindow(limit: 1)
                let counts = Recorder<Int>()
                let cancellable = ValueObservation.trackingList(ranking, window: window)
                    .coalescing(coalescing).start(
                        in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                        onChange: { counts.append($0.count) })
                window.limit = 2
                window.limit = 3
                counts.wait(last: 3)
                cancellable.cancel()
                window.limit = 4
            }
        }
    }

    func testAGroupFollowsTheWindowsOfItsMembers() throws {
        try onEachListWriter { writer in
            let windows = [ListWindow(limit: 1), ListWindow(limit: 2)]
            let one = ValueObservation.trackingList(ranking, window: windows[0])
            let other = ValueObservation.trackingList(ranking, window: windows[1])
            let counts = Recorder<[Int]>()
            let cancellable = ObservationGroup(one, other).start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { one, other in counts.append([one.count, other.count]) })
            counts.wait(last: [1, 2])
            windows[0].limit = 3
            counts.wait(last: [3, 2])
            windows[1].limit = 4
            counts.wait(last: [3, 4])
            cancellable.cancel()
        }
    }

    func testEqualRequestsWithOtherWindowsShareNoFetch() throws {
        try onEachListWriter { writer in
            let windows = [ListWindow(limit: 1), ListWindow(limit: 2)]
            let fixtures = try windows.enumerated().map { number, window in
                try ListFixture(
                    writer, label: "list \(number)", .trackingList(ranking, window: window))
            }
            windows[0].limit = 2
            windows[1].limit = 1
            try fixtures[0].write("UPDATE player SET score = 50 WHERE id = 1")
            XCTAssertEqual(fixtures.map(ids), [[1, 4], [1]])
        }
    }

    func testSnapshotsFollowTheWindow() throws {
        let directory = try TemporaryDirectory()
        let pool = try DatabasePool(path: directory.file("db"))
        try pool.write { db in try db.execute(sql: ListedPlayer.table) }
        let window = ListWindow(limit: 1)
        let counts = Recorder<Int>()
        let snapshot = try pool.makeSnapshot()
        let cancellable = ValueObservation.trackingList(ranking, window: window).start(
            in: snapshot, scheduling: .inline, onError: { XCTFail("\($0)") },
            onChange: { counts.append($0.count) })
        counts.wait(last: 1)
        window.limit = 3
        counts.wait(last: 3)
        cancellable.cancel()
    }
}
