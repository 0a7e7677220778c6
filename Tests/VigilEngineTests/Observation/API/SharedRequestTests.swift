import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// Observations of equal requests, which share one fetch per commit.
final class SharedRequestTests: XCTestCase {
    private let schema = tableT + "INSERT INTO t(a) VALUES ('a'), ('b'), ('é');"

    /// Starts observations, commits once, and returns the number of fetches for that commit. No fetch counts
    /// as slow, because observations with slow fetches and others do not share fetches.
    private func fetchCount<Reducer: ValueReducer>(
        _ fixture: ObservationFixture, _ observations: [ValueObservation<Reducer>]
    ) throws -> (fetches: Int, shared: Int) {
        let timer = ManualClock()
        let observed = observations.map { observation in
            var observation = observation
            observation.options.timer = timer
            return fixture.observe(observation)
        }
        for observation in observed { observation.values.wait(count: 1) }
        try settle(fixture)
        let before = fixture.writer.observations
        XCTAssertEqual(before.count, observations.count)
        try fixture.writer.commit("INSERT INTO t(a) VALUES ('x')")
        for observation in observed { observation.values.wait(count: 2) }
        let after = fixture.writer.observations
        observed.forEach { $0.cancel() }
        func sum(_ count: (ObservationStatus) -> Int) -> Int {
            after.map(count).reduce(0, +) - before.map(count).reduce(0, +)
        }
        return (sum(\.fetchCount), sum(\.sharedFetchCount))
    }

    /// Waits until all observations are registered and their consumers have returned.
    private func settle(_ fixture: ObservationFixture) throws {
        fixture.queue.sync {}
        if let pool = fixture.writer as? DatabasePool { try pool.barrierWriteWithoutTransaction { _ in } }
        fixture.writer.writeWithoutTransaction { _ in }
    }

    /// Runs a test on each fixture except `.task`, whose consumers return at an unknown time.
    private func onEachFixture(_ body: (ObservationFixture) throws -> Void) throws {
        try onEachFixture(WriterKind.allCases, [.immediate, .queue, .mainActor], schema: schema, body)
    }

    private func request(_ value: String) -> SQLRequest<Int> {
        SQLRequest<Int>(sql: "SELECT id FROM t WHERE a <> ? ORDER BY a", arguments: [value])
    }

    func testAHundredEqualRequestsAreFetchedOnceForACommit() throws {
        try onEachFixture { fixture in
            let all = (0..<100).map { _ in ValueObservation.trackingAll(request("a")) }
            let result = try fetchCount(fixture, all)
            XCTAssertEqual(result.fetches, 1)
            XCTAssertEqual(result.shared, 99)
        }
    }

    func testRowsRecordsOptionalsAndCountsAreShared() throws {
        try onEachFixture { fixture in
            let rows = SQLRequest<Row>(sql: "SELECT * FROM t")
            XCTAssertEqual(try fetchCount(fixture, (0..<3).map { _ in .trackingAll(rows) }).fetches, 1)
            XCTAssertEqual(try fetchCount(fixture, (0..<3).map { _ in .trackingOne(rows) }).fetches, 1)
            XCTAssertEqual(try fetchCount(fixture, (0..<3).map { _ in .trackingCount(rows) }).fetches, 1)
            let texts = SQLRequest<String?>(sql: "SELECT a FROM t")
            XCTAssertEqual(try fetchCount(fixture, (0..<3).map { _ in .trackingAll(texts) }).fetches, 1)
        }
    }

    func testOperatorsDoNotPreventSharing() throws {
        try onEachFixture { fixture in
            let one = ValueObservation.trackingAll(request("a"))
            let result = try fetchCount(
                fixture, [one.map { $0.count }, one.map { -$0.count }, one.map { $0.count * 2 }])
            XCTAssertEqual(result.fetches, 1)
        }
    }

    func testAnObservationStartedSeveralTimesIsFetchedOnce() throws {
        try onEachFixture { fixture in
            let result = try fetchCount(fixture, Array(repeating: rowCounts, count: 10))
            XCTAssertEqual(result.fetches, 1)
            XCTAssertEqual(result.shared, 9)
            XCTAssertEqual(
                try fetchCount(fixture, (0..<3).map { _ in ValueObservation.tracking(countRows) }).fetches, 3,
                "observations with different closures do not share fetches")
        }
    }

    func testDifferentArgumentsAreFetchedSeparately() throws {
        try onEachFixture { fixture in
            let result = try fetchCount(
                fixture, ["a", "b", "a", "c"].map { ValueObservation.trackingAll(request($0)) })
            XCTAssertEqual(result.fetches, 3)
            XCTAssertEqual(result.shared, 1)
        }
    }

    func testCanonicallyEquivalentTextsAreFetchedSeparately() throws {
        try onEachFixture { fixture in
            let (composed, decomposed) = ("\u{e9}", "e\u{301}")
            XCTAssertEqual(composed, decomposed)
            let arguments = try fetchCount(
                fixture, [composed, decomposed].map { ValueObservation.trackingAll(request($0)) })
            XCTAssertEqual(arguments.fetches, 2)
            let texts = try fetchCount(
                fixture,
                [composed, decomposed].map {
                    ValueObservation.trackingAll(SQLRequest<Int>(sql: "SELECT id FROM t WHERE a <> '\($0)'"))
                })
            XCTAssertEqual(texts.fetches, 2)
        }
    }

    func testEqualIntegersAndRealsAreFetchedSeparately() throws {
        try onEachFixture { fixture in
            let result = try fetchCount(
                fixture,
                [[1], [1.0], ["1"]].map { (arguments: StatementArguments) in
                    ValueObservation.trackingAll(
                        SQLRequest<String>(sql: "SELECT typeof(?) FROM t", arguments: arguments))
                })
            XCTAssertEqual(result.fetches, 3)
        }
    }

    func testDifferentResultsAreFetchedSeparately() throws {
        try onEachFixture { fixture in
            let text = "SELECT id FROM t"
            let all = fixture.observe(ValueObservation.trackingAll(SQLRequest<Int>(sql: text)))
            let one = fixture.observe(ValueObservation.trackingOne(SQLRequest<Int>(sql: text)))
            let count = fixture.observe(ValueObservation.trackingCount(SQLRequest<Int>(sql: text)))
            let wide = fixture.observe(ValueObservation.trackingAll(SQLRequest<Int64>(sql: text)))
            all.values.wait(count: 1)
            one.values.wait(count: 1)
            count.values.wait(count: 1)
            wide.values.wait(count: 1)
            let ids = all.values.all[0]
            try fixture.writer.commit("INSERT INTO t(id) VALUES (100)")
            all.expect([ids, ids + [100]])
            one.expect([1, 1])
            count.expect([ids.count, ids.count + 1])
            XCTAssertEqual(fixture.writer.observations.map(\.sharedFetchCount).reduce(0, +), 0)
            wide.expect([ids.map { Int64($0) }, ids.map { Int64($0) } + [100]])
        }
    }

    func testAdaptedRequestsAreFetchedSeparately() throws {
        try onEachFixture { fixture in
            let adapted = SQLRequest<Row>(
                sql: "SELECT 0, a FROM t", adapter: SuffixRowAdapter(fromIndex: 1))
            let result = try fetchCount(fixture, (0..<2).map { _ in ValueObservation.trackingAll(adapted) })
            XCTAssertEqual(result.fetches, 2)
        }
    }

    private struct AllRows: FetchRequest {
        typealias RowDecoder = Row
        var minimum: Int
        var adapter: SuffixRowAdapter?

        var sqlSubquery: SQLSubquery { request.sqlSubquery }

        func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest
        {
            var prepared = try request.makePreparedRequest(db, forSingleResult: singleResult)
            prepared.adapter = adapter
            return prepared
        }

        private var request: SQLRequest<Row> { "SELECT id, a FROM t WHERE id >= \(minimum)" }
    }

    func testRequestsOfOtherTypesAreSharedByTheirSQL() throws {
        try onEachFixture { fixture in
            let request = AllRows(minimum: 0)
            XCTAssertEqual(try fetchCount(fixture, (0..<3).map { _ in .trackingAll(request) }).fetches, 1)
            XCTAssertEqual(try fetchCount(fixture, (0..<3).map { _ in .trackingOne(request) }).fetches, 1)
            XCTAssertEqual(try fetchCount(fixture, (0..<3).map { _ in .trackingCount(request) }).fetches, 1)
            XCTAssertEqual(
                try fetchCount(fixture, (0..<3).map { .trackingAll(AllRows(minimum: $0)) }).fetches, 3)
            let erased = AnyFetchRequest(request)
            XCTAssertEqual(try fetchCount(fixture, (0..<3).map { _ in .trackingAll(erased) }).fetches, 1)
            let adapted = AllRows(minimum: 0, adapter: SuffixRowAdapter(fromIndex: 1))
            XCTAssertEqual(try fetchCount(fixture, (0..<2).map { _ in .trackingAll(adapted) }).fetches, 2)
        }
    }

    func testWritingObservationsFetchSeparately() throws {
        try onEachFixture { fixture in
            var observation = ValueObservation.trackingAll(request("a"))
            observation.requiresWriteAccess = true
            let result = try fetchCount(fixture, [observation, observation])
            XCTAssertEqual(result.fetches, 2)
            XCTAssertEqual(result.shared, 0)
        }
    }

    func testASharedFetchOfEachCommitGivesTheSameValues() throws {
        try onEachFixture { fixture in
            let observed = (0..<10).map { _ in
                fixture.observe(
                    ValueObservation.trackingCount(SQLRequest<Int>(sql: "SELECT id FROM t"))
                        .coalescing(.never))
            }
            try fixture.insert(5)
            for observation in observed { observation.expect([3, 4, 5, 6, 7, 8]) }
        }
    }

    func testARequestIsItsOwnLabel() throws {
        let value = "secret"
        XCTAssertEqual(
            ValueObservation.trackingAll(SQLRequest<Int>("SELECT id FROM t WHERE a = \(value)")).label,
            "SELECT id FROM t WHERE a = …")
        XCTAssertEqual(
            ValueObservation.trackingAll(request("secret")).map { $0 }.label,
            "SELECT id FROM t WHERE a <> ? ORDER BY a")
        XCTAssertEqual(rowCounts.label, "Int")
        XCTAssertEqual(rowCounts.labeled("rows").map { "\($0)" }.label, "rows")
    }
}
