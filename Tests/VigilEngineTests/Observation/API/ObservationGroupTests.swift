import Dispatch
import Vigil
import XCTest

/// Observations whose values are delivered together.
final class ObservationGroupTests: XCTestCase {
    private struct Refusal: Error {}

    private let schema =
        tableT + "CREATE TABLE u(id INTEGER PRIMARY KEY); CREATE TABLE v(id INTEGER PRIMARY KEY);"

    private static func count(_ table: String) -> ValueObservation<ValueReducers.Fetch<Int>> {
        ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)") ?? -1 }
    }

    /// Observes a group, and records its values as texts.
    private func observe<One: ValueReducer, Two: ValueReducer>(
        _ fixture: ObservationFixture, _ one: ValueObservation<One>, _ two: ValueObservation<Two>
    ) -> Observed<String> {
        fixture.observe(ObservationGroup(one, two).observation.map { "\($0.0) \($0.1)" })
    }

    func testACommitIsOneNotificationWithTheValuesOfThatCommit() throws {
        try onEachFixture(schema: schema) { fixture in
            let observed = observe(fixture, Self.count("t").coalescing(.never), Self.count("u"))
            observed.expect(["0 0"])
            try fixture.writer.commit("\(insertIntoT); INSERT INTO u DEFAULT VALUES")
            observed.expect(["0 0", "1 1"])
            try fixture.writer.commit("INSERT INTO u DEFAULT VALUES")
            observed.expect(["0 0", "1 1", "1 2"])
            try fixture.writer.commit("INSERT INTO v DEFAULT VALUES")
            try fixture.insert()
            observed.expect(["0 0", "1 1", "1 2", "2 2"])
        }
    }

    func testGroupValuesBelongToOneCommitDuringWrites() throws {
        try onEachFixture(schema: schema) { fixture in
            let observed = observe(fixture, Self.count("t"), Self.count("u"))
            for _ in 0..<20 { try fixture.writer.commit("\(insertIntoT); INSERT INTO u DEFAULT VALUES") }
            let values = observed.values.wait(for: "20 20")
            for value in values {
                let parts = value.split(separator: " ")
                XCTAssertEqual(parts[0], parts[1])
            }
        }
    }

    func testTheGroupStartsWithSeparateArgumentsAndEachScheduler() throws {
        try onEachFixture(WriterKind.allCases, [.queue], schema: schema) { fixture in
            let group = ObservationGroup(Self.count("t"), Self.count("u"), Self.count("v").map { "\($0)" })
            let values = Recorder<String>()
            let cancellables = [
                group.start(in: fixture.writer, scheduling: .task, onError: { XCTFail("\($0)") }) {
                    values.append("\($0) \($1) \($2)")
                },
                group.start(
                    in: fixture.writer, scheduling: .async(onQueue: fixture.queue),
                    onError: { XCTFail("\($0)") }
                ) { values.append("\($0) \($1) \($2)") },
                MainActor.assumeIsolated {
                    group.start(in: fixture.writer, onError: { XCTFail("\($0)") }) {
                        values.append("\($0) \($1) \($2)")
                    }
                },
                MainActor.assumeIsolated {
                    group.start(in: fixture.writer, scheduling: .immediate, onError: { XCTFail("\($0)") }) {
                        values.append("\($0) \($1) \($2)")
                    }
                },
            ]
            XCTAssertEqual(values.wait(count: 4), Array(repeating: "0 0 0", count: 4))
            cancellables.forEach { $0.cancel() }
        }
    }

    func testAnErrorOfOneMemberEndsTheGroup() throws {
        try onEachFixture(schema: schema) { fixture in
            let failing = Self.count("u").map { count -> Int in
                if count == 1 { throw Refusal() }
                return count
            }
            let observed = observe(fixture, Self.count("t"), failing)
            observed.expect(["0 0"])
            try fixture.writer.commit("INSERT INTO u DEFAULT VALUES")
            XCTAssertTrue(observed.errors.wait(count: 1)[0] is Refusal)
            try fixture.insert()
            fixture.observe(rowCounts).expect([1])
            XCTAssertEqual(observed.values.all, ["0 0"])
            XCTAssertEqual(observed.errors.all.count, 1)
        }
    }

    func testAMemberWithoutDuplicatesKeepsItsLastValue() throws {
        try onEachFixture(schema: schema) { fixture in
            let maximum = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT MAX(+a) FROM t") ?? 0
            }
            .removeDuplicates()
            let group = ObservationGroup(maximum, Self.count("u").removeDuplicates())
            let observed = fixture.observe(group.observation.coalescing(.never).map { "\($0.0) \($0.1)" })
            observed.expect(["0 0"])
            try fixture.writer.commit("INSERT INTO u DEFAULT VALUES")
            // No member has a new value, so the group does not notify.
            try fixture.insert()
            try fixture.writer.commit("INSERT INTO t(a) VALUES (7)")
            observed.expect(["0 0", "0 1", "7 1"])
        }
    }

    func testEachStartHasItsOwnMemoryOfDuplicates() throws {
        try onEachFixture(schema: schema) { fixture in
            let group = ObservationGroup(
                Self.count("t").removeDuplicates(), Self.count("u").removeDuplicates())
            for _ in 0..<2 {
                let observed = fixture.observe(group.observation.map { "\($0.0) \($0.1)" })
                observed.expect(["0 0"])
                observed.cancel()
            }
        }
    }

    func testAMemberWithAGivenRegionIgnoresItsReads() throws {
        try onEachFixture(schema: schema) { fixture in
            let given = ValueObservation.tracking(region: DatabaseRegion(table: "u")) { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM v") ?? -1
            }
            let regions = Values<String>()
            let group = ObservationGroup(Self.count("t"), given)
            let observed = fixture.observe(
                group.observation.handleEvents(willTrackRegion: { regions.append("\($0)") })
                    .map { "\($0.0) \($0.1)" })
            observed.expect(["0 0"])
            try fixture.writer.commit("INSERT INTO v DEFAULT VALUES")
            try fixture.writer.commit("INSERT INTO u DEFAULT VALUES")
            observed.expect(["0 0", "0 1"])
            XCTAssertEqual(regions.all, ["t(*),u(*)"])
        }
    }

    func testEventsOfMembersOccurOnceForTheGroup() throws {
        try onEachFixture(schema: schema) { fixture in
            let events = Lines()
            let observed = observe(fixture, Self.count("t").print("t", to: events), Self.count("u"))
            observed.expect(["0 0"])
            try fixture.writer.commit("INSERT INTO u DEFAULT VALUES")
            observed.expect(["0 0", "0 1"])
            observed.cancel()
            events.expect([
                "t: start", "t: fetch", "t: tracked region: t(*),u(*)", "t: value: 0",
                "t: database did change", "t: fetch", "t: value: 0", "t: cancel",
            ])
        }
    }

    func testAGroupWritesIfAMemberWrites() throws {
        var writing = ValueObservation.tracking { db -> Int in
            try db.execute(sql: "INSERT OR IGNORE INTO v VALUES (1)")
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM v") ?? -1
        }
        writing.requiresWriteAccess = true
        try onEachFixture(schema: schema) { fixture in
            let observed = observe(fixture, Self.count("t"), writing)
            observed.expect(["0 1"])
            try fixture.insert()
            observed.expect(["0 1", "1 1"])
        }
    }

    func testAGroupIsSharedAndIterated() async throws {
        try await onEachWriterAsync { writer in
            let group = ObservationGroup(rowCounts, rowCounts.map { -$0 })
            let shared = group.observation.shared(in: writer, scheduling: .task)
            var iterator = shared.values().makeAsyncIterator()
            var other = group.observation.values(in: writer).makeAsyncIterator()
            for expected in 0...2 {
                for value in [try await iterator.next(), try await other.next()] {
                    XCTAssertEqual(value?.0, expected)
                    XCTAssertEqual(value?.1, -expected)
                }
                try await writer.write { db in try db.execute(sql: insertIntoT) }
            }
        }
    }
}
