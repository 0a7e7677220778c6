import Vigil
import XCTest

/// Exact lists of values of requests, on which applications that migrate from RxGRDB rely: on queues and
/// pools, one value for each commit that changes the raw results.
final class StrictRequestListTests: XCTestCase {
    private struct Player: Codable, FetchableRecord, TableRecord, Sendable {
        let id: Int64
        let name: String
    }

    /// Runs a test on databases with two players.
    private func onEachPlayers(_ body: (any DatabaseWriter) throws -> Void) throws {
        var configuration = Configuration()
        configuration.ignoresNoOpUpdates = false
        try onEachWriter(configuration) { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT);
                        INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara');
                        """)
            }
            try body(writer)
        }
    }

    /// Starts an observation of names, commits an update without effect, a new name, a deletion of all rows
    /// and the insertion of three rows, and compares the values.
    private func assertLists<Reducer: ValueReducer, Value: Equatable & Sendable>(
        of observation: ValueObservation<Reducer>, _ value: @escaping @Sendable (Reducer.Value) -> Value,
        startImmediately: Bool = true, _ expected: [Value], in writer: any DatabaseWriter, line: UInt = #line
    ) throws {
        let (values, cancellable) = record(
            observation.coalescing(.never).skippingInitialValue(!startImmediately).map(value), in: writer)
        for sql in [
            "UPDATE player SET name = name WHERE id = 1", "UPDATE player SET name = 'Barbie' WHERE id = 2",
            "DELETE FROM player",
            """
            INSERT INTO player VALUES (1, 'Craig');
            INSERT INTO player VALUES (2, 'David');
            INSERT INTO player VALUES (3, 'Elena')
            """,
        ] {
            try writer.write { db in try db.execute(sql: sql) }
        }
        XCTAssertEqual(values.wait(count: expected.count, line: line), expected, line: line)
        cancellable.cancel()
    }

    private static let names: @Sendable ([Player]) -> [String] = { $0.map(\.name) }

    private let all = Player.all().orderByPrimaryKey()
    private let lists = [["Arthur", "Barbie"], [], ["Craig", "David", "Elena"]]

    func testAllRowsWithDuplicatesAreOneValuePerTransaction() throws {
        let initial = ["Arthur", "Barbara"]
        try onEachPlayers { writer in
            try assertLists(
                of: ValueObservation.trackingAll(all), Self.names, [initial, initial] + lists, in: writer)
        }
        try onEachPlayers { writer in
            try assertLists(
                of: ValueObservation.trackingAll(all), Self.names, startImmediately: false,
                [initial] + lists, in: writer)
        }
    }

    func testAllRowsWithoutDuplicatesAreFourValues() throws {
        try onEachPlayers { writer in
            try assertLists(
                of: all.observationForAll(), Self.names, [["Arthur", "Barbara"]] + lists, in: writer)
        }
        try onEachPlayers { writer in
            try assertLists(
                of: all.observationForAll(), Self.names, startImmediately: false, lists, in: writer)
        }
    }

    func testRowsByKeyDoNotSeeTheUpdateOfAnotherRow() throws {
        let byKey = Player.filter(keys: [2, 3]).orderByPrimaryKey()
        let lists = [["Barbie"], [], ["David", "Elena"]]
        try onEachPlayers { writer in
            try assertLists(
                of: ValueObservation.trackingAll(byKey), Self.names, [["Barbara"]] + lists, in: writer)
        }
        try onEachPlayers { writer in
            try assertLists(
                of: byKey.observationForAll(), Self.names, startImmediately: false, lists, in: writer)
        }
    }

    /// A later fetch of a queue compiles the kept statement again, because writes were allowed since.
    func testRowsByKeyDoNotSeeOtherRowsInLaterObservations() throws {
        try onEachPlayers { writer in
            for request in [Player.filter(key: 2), Player.filter(keys: [2, 3])] {
                for _ in 1...3 {
                    let regions = Recorder<String>()
                    let (values, cancellable) = record(
                        ValueObservation.trackingAll(request).coalescing(.never)
                            .handleEvents(willTrackRegion: { regions.append("\($0)") }), in: writer)
                    for id in 1...2 {
                        let sql = "UPDATE player SET name = name || '!' WHERE id = \(id)"
                        try writer.write { db in try db.execute(sql: sql) }
                    }
                    let names = values.wait(count: 2).map { $0.map(\.name) }
                    XCTAssertEqual(names.dropFirst().first, names.first?.map { "\($0)!" })
                    XCTAssertEqual(regions.all.map { $0.contains("[2") }, [true])
                    cancellable.cancel()
                }
            }
        }
    }

    func testTheFirstRow() throws {
        let name: @Sendable (Player?) -> String? = { $0?.name }
        try onEachPlayers { writer in
            try assertLists(
                of: all.observationForFirst(), name, ["Arthur", nil, "Craig"], in: writer)
        }
        try onEachPlayers { writer in
            try assertLists(
                of: all.observationForFirst(), name, startImmediately: false, [nil, "Craig"], in: writer)
        }
    }

    func testTheCount() throws {
        try onEachPlayers { writer in
            try assertLists(of: all.observationForCount(), { $0 }, [2, 0, 3], in: writer)
        }
        try onEachPlayers { writer in
            try assertLists(
                of: all.observationForCount(), { $0 }, startImmediately: false, [0, 3], in: writer)
        }
        try onEachPlayers { writer in
            try assertLists(of: ValueObservation.trackingCount(all), { $0 }, [2, 2, 2, 0, 3], in: writer)
        }
    }

    func testRawSQL() throws {
        let request: SQLRequest<String> = "SELECT name FROM player ORDER BY id"
        try onEachPlayers { writer in
            try assertLists(
                of: request.observationForAll(), { $0 }, [["Arthur", "Barbara"]] + lists, in: writer)
        }
        let first: SQLRequest<String> = "SELECT MAX(name) FROM player"
        try onEachPlayers { writer in
            try assertLists(
                of: first.observationForFirst(), { $0 }, ["Barbara", "Barbie", nil, "Elena"], in: writer)
        }
    }

    /// The rule of the first value: it is delivered before `start` returns exactly if the observation starts
    /// on the main queue and with a scheduler that delivers it at once there.
    func testTheFirstValueIsSynchronousExactlyOnTheMainQueue() throws {
        try onEachPlayers { writer in
            let values = Recorder<Int>()
            let request = all
            func start(_ scheduler: some ValueObservationScheduler) -> AnyDatabaseCancellable {
                request.observationForCount().start(
                    in: writer, scheduling: scheduler, onError: { XCTFail("\($0)") },
                    onChange: { values.append($0) })
            }
            let one = start(.mainQueue)
            XCTAssertEqual(values.all, [2])
            let two = start(.mainActor)
            let three = start(.async(onQueue: .main))
            try writer.read { _ in }
            XCTAssertEqual(values.all, [2], "the main queue is occupied by this test")
            for cancellable in [one, two, three] { cancellable.cancel() }
        }
    }
}
