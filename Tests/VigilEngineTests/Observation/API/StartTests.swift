import Dispatch
import Vigil
import XCTest

/// The start of observations and their initial values.
final class StartTests: XCTestCase {
    /// Returns the observations that deliver exactly one value per commit on a fixture.
    private func exact(_ fixture: ObservationFixture) -> [ValueObservation<ValueReducers.Fetch<Int>>] {
        var writing = rowCounts
        writing.requiresWriteAccess = true
        return [writing, rowCounts.coalescing(.never)] + (fixture.isPool ? [] : [rowCounts])
    }

    func testAWriteRightAfterTheStartIsASecondValueUnlessAPoolCoalesces() throws {
        try onEachFixture { fixture in
            for observation in exact(fixture) {
                try fixture.writer.commit("DELETE FROM t")
                let observed = fixture.observe(observation)
                try fixture.insert(3)
                observed.expect([0, 1, 2, 3])
                observed.cancel()
            }
        }
    }

    func testThereIsOneInitialValueWithoutCommits() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(rowCounts)
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
        }
    }

    func testPoolValuesAreInCommitOrderAndEndWithTheLastCommit() throws {
        try onEachPoolFixture { fixture, _ in
            let observed = fixture.observe(rowCounts)
            if fixture.scheduling == .immediate { XCTAssertEqual(observed.values.all, [0]) }
            try fixture.insert(30)
            let values = observed.values.wait(for: 30)
            XCTAssertEqual(values, values.sorted())
            XCTAssertEqual(values.last, 30)
        }
    }

    func testACommitBetweenFetchAndRegistrationIsNotifiedEvenWithoutEffect() throws {
        try onEachPoolFixture { fixture, pool in
            let fetches = Values<Int>()
            let observed = fixture.observe(
                ValueObservation.tracking { db -> Int in
                    let count = try countRows(db)
                    fetches.append(count)
                    if fetches.all.count == 1 {
                        try pool.write { db in
                            try db.execute(sql: insertIntoT)
                            try db.execute(sql: "DELETE FROM t")
                        }
                    }
                    return count
                })
            observed.expect([0, 0])
            try fixture.insert()
            observed.expect([0, 0, 1])
        }
    }

    func testAnImmediateValueArrivesOnTheMainQueueBeforeTheStartReturns() throws {
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let values = Recorder<Int>()
            let writer = fixture.writer
            let cancellable = fixture.start(rowCounts) { value in
                dispatchPrecondition(condition: .onQueue(.main))
                values.append(value)
                if value == 0 { assertNoError { try writer.commit(insertIntoT) } }
            }
            XCTAssertEqual(values.all, [0])
            XCTAssertEqual(values.wait(for: 1), [0, 1])
            cancellable.cancel()
        }
    }

    func testACommitBeforeAnImmediateValueIsDeliveredIsASecondValue() throws {
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let writer = fixture.writer
            let exact = rowCounts.coalescing(.never)
            let observed = fixture.observe(
                exact.map { count -> Int in
                    if count == 0 { try writer.commit(insertIntoT) }
                    return count
                })
            XCTAssertEqual(observed.values.all, [0])
            observed.expect([0, 1])
            let same = fixture.observe(
                exact.map { count -> Int in
                    if count == 1 { try writer.commit(insertIntoT) }
                    return 7
                }
                .removeDuplicates())
            XCTAssertEqual(same.values.all, [7])
        }
    }

    func testAnImmediateErrorEndsTheObservationBeforeTheStartReturns() throws {
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let events = Lines()
            let observed = fixture.observe(
                ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT * FROM missing") }
                    .print(to: events))
            XCTAssertEqual(observed.errors.all.count, 1)
            observed.cancel()
            XCTAssertEqual(events.all.prefix(2), ["start", "fetch"])
            XCTAssertTrue(events.all.last?.hasPrefix("failure: SQLite error 1: no such table") ?? false)
            XCTAssertEqual(events.all.count, 3)
            XCTAssertTrue(fixture.writer.observations.isEmpty)
        }
    }

    func testAnImmediateErrorOfATransformationEndsTheObservationBeforeTheStartReturns() throws {
        struct Refusal: Error {}
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let writer = fixture.writer
            let observed = fixture.observe(
                rowCounts.coalescing(.never).map { count -> Int in
                    guard count == 0 else { return count }
                    // The value of this commit may be fetched before the error is delivered.
                    try writer.commit(insertIntoT)
                    throw Refusal()
                })
            XCTAssertEqual(observed.errors.all.count, 1)
            XCTAssertTrue(observed.errors.all.first is Refusal)
            XCTAssertEqual(observed.values.all, [])
            XCTAssertTrue(writer.observations.isEmpty)
        }
    }

    func testAnyReaderAndAnyWriterIsObserved() throws {
        try onEachFixture { fixture in
            let readers: [any DatabaseReader] = [
                fixture.writer, AnyDatabaseReader(fixture.writer), AnyDatabaseWriter(fixture.writer),
            ]
            for reader in readers {
                try fixture.writer.commit("DELETE FROM t")
                let observed = fixture.observe(rowCounts, in: reader)
                observed.values.wait(for: 0)
                try fixture.insert()
                observed.values.wait(for: 1)
                observed.cancel()
            }
        }
    }

    /// Returns read-only queues and pools on the file of a pool, and a snapshot.
    private func readOnlyReaders(_ pool: DatabasePool) throws -> [any DatabaseReader] {
        var configuration = pool.configuration
        configuration.readonly = true
        return [
            try DatabaseQueue(path: pool.path, configuration: configuration),
            try DatabasePool(path: pool.path, configuration: configuration), try pool.makeSnapshot(),
        ]
    }

    func testAConstantDatabaseDeliversOneValueAndNoRegion() throws {
        try onEachPoolFixture { fixture, pool in
            for reader in try readOnlyReaders(pool) {
                let events = Lines()
                let observed = fixture.observe(rowCounts.print(to: events), in: reader)
                observed.values.wait(count: 1)
                try pool.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES; DELETE FROM t") }
                try reader.read { _ in }
                observed.cancel()
                XCTAssertEqual(events.all, ["start", "fetch", "value: 0", "cancel"])
            }
        }
    }

    func testClosingAConstantDatabaseEndsObservationsThatSharedAFetch() throws {
        try onEachPoolFixture { _, pool in
            var configuration = pool.configuration
            configuration.readonly = true
            configuration.maximumReaderCount = 1
            let reader = try DatabasePool(path: pool.path, configuration: configuration)
            let (isReading, mayEnd) = (Gate(), Gate())
            reader.asyncRead { _ in
                isReading.open()
                mayEnd.wait()
            }
            isReading.wait()
            let values = Recorder<Int>()
            let cancellables = (0..<2).map { _ in
                rowCounts.start(
                    in: reader, scheduling: .async(onQueue: DispatchQueue(label: "values")),
                    onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
            }
            mayEnd.open()
            values.wait(count: 2)
            XCTAssertEqual(reader.observations.map(\.sharedFetchCount), [0, 1])
            try reader.close()
            XCTAssertTrue(reader.observations.isEmpty)
            withExtendedLifetime(cancellables) {}
        }
    }

    func testAConstantDatabaseDeliversOneErrorAndNoRegion() throws {
        try onEachPoolFixture { fixture, pool in
            for reader in try readOnlyReaders(pool) {
                let events = Lines()
                let observed = fixture.observe(
                    ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT 1 FROM x") }
                        .print(to: events), in: reader)
                observed.errors.wait(count: 1)
                observed.cancel()
                XCTAssertEqual(
                    events.all,
                    [
                        "start", "fetch",
                        "failure: SQLite error 1: no such table: x - while executing `SELECT 1 FROM x`",
                    ])
                XCTAssertTrue(reader.observations.isEmpty)
            }
        }
    }

    func testEachStartIsIndependentOfTheOthers() throws {
        try onEachFixture { fixture in
            let observation = rowCounts.removeDuplicates()
            let first = fixture.observe(observation)
            first.expect([0])
            let second = fixture.observe(observation)
            second.expect([0])
            first.cancel()
            try fixture.insert()
            second.expect([0, 1])
            XCTAssertEqual(first.values.all, [0])
        }
    }
}
