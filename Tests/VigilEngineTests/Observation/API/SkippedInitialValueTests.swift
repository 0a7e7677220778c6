import Dispatch
import Synchronization
import Vigil
import XCTest

/// Observations that deliver only changes.
final class SkippedInitialValueTests: XCTestCase {
    func testTheFirstValueIsThatOfTheFirstCommit() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(rowCounts.skippingInitialValue())
            try fixture.insert()
            observed.expect([1])
            try fixture.insert()
            observed.expect([1, 2])
        }
    }

    func testEachCommitIsDeliveredInStrictObservations() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(rowCounts.coalescing(.never).skippingInitialValue())
            try fixture.insert(3)
            observed.expect([1, 2, 3])
        }
    }

    func testSkippingCanBeUndone() throws {
        try onEachFixture { fixture in
            fixture.observe(rowCounts.skippingInitialValue().skippingInitialValue(false)).expect([0])
        }
    }

    func testTheFirstValueIsComparedWithTheInitialOne() throws {
        try onEachFixture { fixture in
            let observed = fixture.observe(
                rowCounts.coalescing(.never).removeDuplicates().skippingInitialValue())
            try fixture.writer.commit("\(insertIntoT); DELETE FROM t")
            try fixture.insert()
            observed.expect([1])
        }
    }

    /// A commit that precedes the initial fetch must not be mistaken for the initial state.
    func testACommitBetweenTheStartAndTheInitialFetchIsDelivered() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try onEachPoolFixture([.queue, .task], configuration) { fixture, pool in
            for observation in [rowCounts, rowCounts.coalescing(.never)] {
                let before = try pool.read(countRows)
                let isReading = Gate()
                let mayEnd = Gate()
                // The only reader is in use, so the initial value cannot be fetched yet.
                pool.asyncRead { _ in
                    isReading.open()
                    mayEnd.wait()
                }
                isReading.wait()
                let observed = fixture.observe(observation.removeDuplicates().skippingInitialValue())
                try fixture.insert()
                mayEnd.open()
                observed.expect([before + 1])
                observed.cancel()
            }
        }
    }

    /// The initial list is not delivered, so the one of the next fetch is not a repetition of it.
    func testACommitBetweenTheStartAndTheInitialFetchOfAListIsDelivered() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try onEachPoolFixture([.queue, .task], configuration) { fixture, pool in
            let (isReading, mayEnd) = (Gate(), Gate())
            pool.asyncRead { _ in
                isReading.open()
                mayEnd.wait()
            }
            isReading.wait()
            let list = ValueObservation.trackingList(SQLRequest<Row>(sql: "SELECT * FROM t ORDER BY id"))
            let observed = fixture.observe(list.map { list in list.count }.skippingInitialValue())
            try fixture.insert()
            mayEnd.open()
            observed.expect([1])
        }
    }

    func testCommitsDuringAPauseAreDeliveredAfterIt() throws {
        var writing = rowCounts
        writing.requiresWriteAccess = true
        for observation in [rowCounts, rowCounts.coalescing(.never), writing] {
            try onEachFixture(WriterKind.allCases, [.queue, .task]) { fixture in
                let pause = ObservationPause(isPaused: true)
                let observed = fixture.observe(observation.pausable(by: pause).skippingInitialValue())
                try fixture.insert()
                pause.resume()
                observed.expect([1])
            }
        }
    }

    func testCommitsDuringAPauseThatBeginsBeforeTheInitialFetchAreDeliveredAfterIt() throws {
        try onEachFixture([.memory, .file], [.queue, .task]) { fixture in
            let (pause, mayFetch) = (ObservationPause(), Gate())
            fixture.writer.asyncWriteWithoutTransaction { _ in mayFetch.wait() }
            let observed = fixture.observe(rowCounts.pausable(by: pause).skippingInitialValue())
            pause.pause()
            mayFetch.open()
            try fixture.insert()
            pause.resume()
            observed.expect([1])
        }
    }

    func testTheErrorOfTheInitialFetchIsDelivered() throws {
        try onEachFixture { fixture in
            let failing = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT 1 FROM missing")
            }
            let observed = fixture.observe(failing.skippingInitialValue())
            observed.errors.wait(count: 1)
            XCTAssertEqual(observed.values.all, [])
        }
    }

    func testASkippedValueUsesNoDemand() async throws {
        try await onEachWriterAsync { writer in
            var values = rowCounts.skippingInitialValue()
                .values(in: writer, bufferingPolicy: .bufferingNewest(1)).makeAsyncIterator()
            // The initial fetch was requested when the iterator was made.
            try await writer.write { db in try db.execute(sql: insertIntoT) }
            let value = try await values.next()
            XCTAssertEqual(value, 1)
        }
    }

    func testANewClientOfASharedObservationReceivesTheLastChange() throws {
        try onEachFixture { fixture in
            let shared = fixture.share(rowCounts.skippingInitialValue())
            let one = shared.observe()
            try fixture.insert()
            one.expect([1])
            shared.observe().expect([1])
        }
    }
}
