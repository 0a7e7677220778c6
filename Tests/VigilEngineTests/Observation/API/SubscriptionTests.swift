import Dispatch
import Synchronization
import Vigil
import XCTest

@testable import VigilEngine

/// Consumers that receive no more values than they request.
final class SubscriptionTests: XCTestCase {
    /// A subscription to an observation, and what its consumer has received.
    private final class Subscriber<Value: Sendable>: Sendable {
        let values = Recorder<Value>()
        let errors = Recorder<any Error>()
        private let held = Mutex<ObservationSubscription?>(nil)

        init(_ subscribe: (Recorder<Value>, Recorder<any Error>) -> ObservationSubscription) {
            let subscription = subscribe(values, errors)
            held.withLock { $0 = subscription }
        }

        var subscription: ObservationSubscription? { held.withLock { $0 } }

        func request(_ number: Int?) { subscription?.request(number) }
        func cancel() { subscription?.cancel() }

        func release() {
            let released = held.withLock { held in
                defer { held = nil }
                return held
            }
            withExtendedLifetime(released) {}
        }
    }

    private func subscribe<Reducer: ValueReducer>(
        _ fixture: ObservationFixture, _ observation: ValueObservation<Reducer>
    ) -> Subscriber<Reducer.Value> {
        Subscriber { values, errors in
            switch fixture.scheduling {
            case .immediate:
                subscribe(fixture, observation, immediately, values, errors)
            case .queue:
                subscribe(fixture, observation, .async(onQueue: fixture.queue), values, errors)
            case .mainActor:
                subscribe(fixture, observation, .mainActor, values, errors)
            case .task:
                subscribe(fixture, observation, .task, values, errors)
            }
        }
    }

    private func subscribe<Reducer: ValueReducer>(
        _ fixture: ObservationFixture, _ observation: ValueObservation<Reducer>,
        _ scheduler: some ValueObservationScheduler, _ values: Recorder<Reducer.Value>,
        _ errors: Recorder<any Error>
    ) -> ObservationSubscription {
        observation.subscription(
            in: fixture.writer, scheduling: scheduler, onError: { errors.append($0) },
            onChange: { values.append($0) })
    }

    /// Waits until values that were fetched before would have been delivered.
    private func settle(_ fixture: ObservationFixture) throws {
        for _ in 0..<3 {
            try fixture.writer.barrierWriteWithoutTransaction { _ in }
            fixture.drain(self)
        }
    }

    func testNothingStartsWithoutARequest() throws {
        try onEachFixture { fixture in
            let events = Lines()
            let subscriber = subscribe(fixture, rowCounts.print(to: events))
            subscriber.request(0)
            try fixture.insert()
            try settle(fixture)
            XCTAssertEqual(events.all, [])
            XCTAssertEqual(fixture.writer.observations.count, 0)
        }
    }

    func testNoValueIsFetchedThatWasNotRequested() throws {
        try onEachFixture { fixture in
            let fetches = FetchCount()
            let subscriber = subscribe(fixture, rowCounts.handleEvents(willFetch: { fetches.add() }))
            subscriber.request(1)
            XCTAssertEqual(subscriber.values.wait(count: 1), [0])
            try fixture.insert(3)
            try settle(fixture)
            XCTAssertEqual(subscriber.values.all, [0])
            XCTAssertEqual(fetches.count, 1)
            subscriber.request(1)
            XCTAssertEqual(subscriber.values.wait(count: 2), [0, 3], "the newest value")
            try fixture.insert()
            try settle(fixture)
            XCTAssertEqual(fetches.count, 2)
            subscriber.request(2)
            XCTAssertEqual(subscriber.values.wait(count: 3), [0, 3, 4])
            try settle(fixture)
            XCTAssertEqual(fetches.count, 3, "a request without a change")
            try fixture.insert()
            XCTAssertEqual(subscriber.values.wait(count: 4), [0, 3, 4, 5])
        }
    }

    func testARequestWithoutALimitDeliversAsAStart() throws {
        try onEachFixture { fixture in
            let subscriber = subscribe(fixture, rowCounts.coalescing(.never))
            subscriber.request(nil)
            if fixture.scheduling == .immediate { XCTAssertEqual(subscriber.values.all, [0]) }
            try fixture.insert(3)
            XCTAssertEqual(subscriber.values.wait(count: 4), [0, 1, 2, 3])
        }
    }

    func testALimitIsLiftedByALaterRequest() throws {
        try onEachFixture { fixture in
            let subscriber = subscribe(fixture, rowCounts)
            subscriber.request(1)
            subscriber.values.wait(count: 1)
            subscriber.request(nil)
            for last in 1...3 {
                try fixture.insert()
                subscriber.values.wait(for: last)
            }
        }
    }

    func testRequestsInsideTheFirstCallbackCount() throws {
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let box = Values<ObservationSubscription>()
            let values = Recorder<Int>()
            let subscription = rowCounts.subscription(
                in: fixture.writer, scheduling: .mainQueue, onError: { XCTFail("\($0)") },
                onChange: { value in
                    values.append(value)
                    if value == 0 { box.all.first?.request(1) }
                })
            box.append(subscription)
            subscription.request(1)
            XCTAssertEqual(values.all, [0], "this test runs on the main queue")
            try fixture.insert()
            XCTAssertEqual(values.wait(count: 2), [0, 1])
            try fixture.insert()
            try settle(fixture)
            XCTAssertEqual(values.all, [0, 1])
            subscription.cancel()
        }
    }

    func testCancellingInsideTheFirstCallbackEndsTheObservation() throws {
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let box = Values<ObservationSubscription>()
            let values = Recorder<Int>()
            let subscription = rowCounts.subscription(
                in: fixture.writer, scheduling: .mainQueue, onError: { XCTFail("\($0)") },
                onChange: { value in
                    values.append(value)
                    box.all.first?.cancel()
                })
            box.append(subscription)
            subscription.request(nil)
            try fixture.insert()
            try settle(fixture)
            XCTAssertEqual(values.all, [0])
            XCTAssertEqual(fixture.writer.observations.count, 0)
        }
    }

    func testReleasingTheSubscriptionEndsTheObservation() throws {
        try onEachFixture { fixture in
            let subscriber = subscribe(fixture, rowCounts)
            subscriber.request(nil)
            subscriber.values.wait(count: 1)
            subscriber.release()
            try fixture.insert()
            try settle(fixture)
            XCTAssertEqual(subscriber.values.all, [0])
            XCTAssertEqual(fixture.writer.observations.count, 0)
        }
    }

    func testACancelledSubscriptionIgnoresRequests() throws {
        try onEachFixture { fixture in
            let subscriber = subscribe(fixture, rowCounts)
            subscriber.cancel()
            subscriber.request(nil)
            try settle(fixture)
            XCTAssertEqual(subscriber.values.all, [])
            XCTAssertEqual(fixture.writer.observations.count, 0)
        }
    }

    func testAnErrorNeedsNoDemandAndEndsTheSubscription() throws {
        try onEachFixture { fixture in
            let failing = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT 1 FROM missing")
            }
            let subscriber = subscribe(fixture, failing)
            subscriber.request(1)
            XCTAssertEqual(subscriber.errors.wait(count: 1).count, 1)
            subscriber.request(nil)
            try settle(fixture)
            XCTAssertEqual(subscriber.errors.all.count, 1)
            XCTAssertEqual(subscriber.values.all, [])
        }
    }

    // MARK: - Shared observations

    func testASharedObservationKeepsTheNewestValueForAClientWithoutDemand() throws {
        try onEachFixture { fixture in
            let shared = fixture.share(rowCounts)
            let eager = shared.observe()
            let slow = Subscriber { values, errors in
                shared.subscription(onError: { errors.append($0) }, onChange: { values.append($0) })
            }
            eager.values.wait(for: 0)
            slow.request(1)
            XCTAssertEqual(slow.values.wait(count: 1), [0])
            try fixture.insert()
            eager.values.wait(for: 1)
            try fixture.insert()
            eager.values.wait(for: 2)
            fixture.drain(self)
            XCTAssertEqual(slow.values.all, [0])
            slow.request(1)
            XCTAssertEqual(slow.values.wait(count: 2), [0, 2])
            slow.request(1)
            try fixture.insert()
            XCTAssertEqual(slow.values.wait(count: 3), [0, 2, 3])
            slow.cancel()
        }
    }

    func testASharedObservationFetchesNothingThatNoClientRequested() throws {
        try onEachFixture { fixture in
            let fetches = FetchCount()
            let shared = fixture.share(rowCounts.handleEvents(willFetch: { fetches.add() }))
            let clients = (0..<2).map { _ in
                Subscriber { values, errors in
                    shared.subscription(onError: { errors.append($0) }, onChange: { values.append($0) })
                }
            }
            for client in clients {
                client.request(1)
                XCTAssertEqual(client.values.wait(count: 1), [0])
            }
            try fixture.insert(3)
            try settle(fixture)
            XCTAssertEqual(fetches.count, 1)
            clients[1].request(1)
            XCTAssertEqual(clients[1].values.wait(count: 2), [0, 3])
            XCTAssertEqual(clients[0].values.all, [0])
            clients[0].request(1)
            XCTAssertEqual(clients[0].values.wait(count: 2), [0, 3])
            XCTAssertEqual(fetches.count, 2)
            for client in clients { client.cancel() }
        }
    }

    func testASharedObservationStartsWithTheFirstRequest() throws {
        try onEachFixture { fixture in
            let shared = fixture.share(rowCounts)
            let subscriber = Subscriber { values, errors in
                shared.subscription(onError: { errors.append($0) }, onChange: { values.append($0) })
            }
            XCTAssertEqual(fixture.writer.observations.count, 0)
            subscriber.request(nil)
            XCTAssertEqual(subscriber.values.wait(count: 1), [0])
            subscriber.release()
            try settle(fixture)
            XCTAssertEqual(fixture.writer.observations.count, 0)
        }
    }

    // MARK: - Region observations

    func testCommitsThatWereNotRequestedAreNotReported() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let observation = DatabaseRegionObservation.tracking(DatabaseRegion(table: "t"))
            let counts = Recorder<Int>()
            let subscription = observation.subscription(
                in: fixture.writer, onError: { XCTFail("\($0)") },
                onChange: { db in assertNoError { counts.append(try countRows(db)) } })
            try fixture.insert()
            subscription.request(1)
            try fixture.insert(2)
            XCTAssertEqual(counts.all, [2])
            subscription.request(2)
            try fixture.insert(3)
            XCTAssertEqual(counts.all, [2, 4, 5])
            subscription.request(nil)
            try fixture.insert()
            XCTAssertEqual(counts.all, [2, 4, 5, 7])
            subscription.cancel()
            try fixture.insert()
            XCTAssertEqual(counts.all, [2, 4, 5, 7])
        }
    }

    func testARequestDuringTheStartOfARegionSubscriptionCounts() throws {
        try onEachFixture { fixture in
            let reports = Mutex(0)
            let held = Mutex<ObservationSubscription?>(nil)
            let subscription = DatabaseRegionObservation.tracking(DatabaseRegion(table: "t")).subscription(
                in: fixture.writer, startImmediately: true, onError: { XCTFail("\($0)") },
                onChange: { db in
                    let count = reports.withLock { count in
                        count += 1
                        return count
                    }
                    guard count == 1 else { return }
                    held.withLock { $0 }?.request(1)
                    // The request that starts the observation has not returned yet.
                    do { try db.execute(sql: insertIntoT) } catch { XCTFail("\(error)") }
                })
            held.withLock { $0 = subscription }
            subscription.request(1)
            XCTAssertEqual(reports.withLock { $0 }, 2)
            held.withLock { $0 = nil }
        }
    }

    func testARegionSubscriptionThatStartsImmediatelyReportsTheStartBeforeTheRequestReturns() throws {
        try onEachFixture(WriterKind.allCases, [.queue]) { fixture in
            let counts = Recorder<Int>()
            let subscription = DatabaseRegionObservation.tracking(DatabaseRegion(table: "t")).subscription(
                in: fixture.writer, startImmediately: true, onError: { XCTFail("\($0)") },
                onChange: { db in assertNoError { counts.append(try countRows(db)) } })
            XCTAssertEqual(counts.all, [])
            subscription.request(2)
            XCTAssertEqual(counts.all, [0])
            try fixture.insert(2)
            XCTAssertEqual(counts.all, [0, 1])
        }
    }
}
