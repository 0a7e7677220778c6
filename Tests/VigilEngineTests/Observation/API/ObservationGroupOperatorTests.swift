import Vigil
import XCTest

/// Groups that are awaited, mapped, filtered and shared like other observations.
final class ObservationGroupOperatorTests: XCTestCase {
    private let schema = tableT + "CREATE TABLE u(id INTEGER PRIMARY KEY);"

    private static func count(_ table: String) -> ValueObservation<ValueReducers.Fetch<Int>> {
        ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)") ?? -1 }
    }

    private static let group = ObservationGroup(count("t"), count("u"), count("t").map { "\($0)" })

    func testTheValuesAreASequenceOfTuples() async throws {
        try await onEachWriterAsync { writer in
            try await writer.write { db in try db.execute(sql: "CREATE TABLE u(id INTEGER PRIMARY KEY)") }
            var values: [String] = []
            for try await (t, u, text) in Self.group.values(in: writer) {
                values.append("\(t) \(u) \(text)")
                if values.count == 2 { break }
                try await writer.write { db in
                    try db.execute(sql: "\(insertIntoT); INSERT INTO u DEFAULT VALUES")
                }
            }
            XCTAssertEqual(values, ["0 0 0", "1 1 1"])
        }
    }

    func testTheValuesAreMapped() throws {
        try onEachFixture(schema: schema) { fixture in
            let observed = fixture.observe(Self.group.map { t, u, text in "\(t + u) \(text)" })
            observed.expect(["0 0"])
            try fixture.writer.commit("\(insertIntoT); INSERT INTO u DEFAULT VALUES")
            observed.expect(["0 0", "2 1"])
        }
    }

    func testNotificationsAreSkippedOnlyIfAllValuesAreEqual() throws {
        try onEachFixture(schema: schema) { fixture in
            let observed = fixture.observe(
                Self.group.removeDuplicates().coalescing(.never).map { "\($0.0) \($0.1)" })
            observed.expect(["0 0"])
            try fixture.writer.commit("\(insertIntoT); DELETE FROM t")
            try fixture.writer.commit("INSERT INTO u DEFAULT VALUES")
            try fixture.writer.commit("\(insertIntoT); DELETE FROM t")
            try fixture.insert()
            observed.expect(["0 0", "0 1", "1 1"])
        }
    }

    func testAGroupIsShared() throws {
        try onEachFixture(WriterKind.allCases, [.queue], schema: schema) { fixture in
            let fetches = FetchCount()
            let group = ObservationGroup(
                Self.count("t").handleEvents(willFetch: { fetches.add() }), Self.count("u"))
            let shared = group.shared(in: fixture.writer, scheduling: .async(onQueue: fixture.queue))
            let values = [Recorder<String>(), Recorder<String>()]
            let cancellables = values.map { values in
                shared.start(
                    onError: { XCTFail("\($0)") }, onChange: { t, u in values.append("\(t) \(u)") })
            }
            for values in values { XCTAssertEqual(values.wait(count: 1), ["0 0"]) }
            try fixture.insert()
            for values in values { XCTAssertEqual(values.wait(count: 2), ["0 0", "1 0"]) }
            XCTAssertEqual(fetches.count, 2)
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    func testTheFirstValuesAreAwaited() async throws {
        try await onEachWriterAsync { writer in
            let (one, two) = try await ObservationGroup(rowCounts, rowCounts.map { "\($0)" }).observation
                .first(in: writer)
            XCTAssertEqual(one, 0)
            XCTAssertEqual(two, "0")
        }
    }
}
