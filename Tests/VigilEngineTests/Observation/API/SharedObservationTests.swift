import Dispatch
import Synchronization
import Vigil
import XCTest

extension ObservationFixture {
    func share<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, _ extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        switch scheduling {
        case .immediate: observation.shared(in: writer, scheduling: .immediate, extent: extent)
        case .queue: observation.shared(in: writer, scheduling: .async(onQueue: queue), extent: extent)
        case .mainActor: observation.shared(in: writer, extent: extent)
        case .task: observation.shared(in: writer, scheduling: .task, extent: extent)
        }
    }
}

extension SharedValueObservation {
    func observe() -> Observed<Element> {
        Observed { values, errors in
            start(onError: { errors.append($0) }, onChange: { values.append($0) })
        }
    }
}

/// Observations that many clients share.
final class SharedObservationTests: XCTestCase {
    private let begin = ["start", "fetch", "tracked region: t(*)", "value: 0"]
    private let extents: [SharedValueObservationExtent] = [.observationLifetime, .whileObserved]

    func testNothingStartsBeforeTheFirstClient() throws {
        try onEachFixture { fixture in
            for extent in extents {
                let events = Lines()
                let shared = fixture.share(rowCounts.print(to: events), extent)
                try fixture.writer.read { _ in }
                XCTAssertEqual(events.all, [])
                let client = shared.observe()
                client.expect([0])
                events.expect(begin)
            }
        }
    }

    func testForItsLifetimeItContinuesWithoutClientsAndReplaysItsLastValue() throws {
        try onEachFixture { fixture in
            let events = Lines()
            var shared = Optional(fixture.share(rowCounts.print(to: events), .observationLifetime))
            var client = shared?.observe()
            client?.expect([0])
            client?.cancel()
            client = nil
            try fixture.insert()
            let changed = begin + ["database did change", "fetch", "value: 1"]
            events.expect(changed)
            // The observation may still be delivering the value, so the new client may first receive the
            // previous one.
            client = shared?.observe()
            client?.values.wait(for: 1)
            events.expect(changed)
            XCTAssertEqual(client?.values.all.last, 1)
            try fixture.insert()
            client?.values.wait(for: 2)
            client = nil
            XCTAssertEqual(events.all.last, "value: 2")
            shared = nil
            events.expect(changed + ["database did change", "fetch", "value: 2", "cancel"])
        }
    }

    func testWhileObservedItEndsWithItsLastClientAndRestartsWithTheNext() throws {
        try onEachFixture { fixture in
            let events = Lines()
            let shared = fixture.share(rowCounts.print(to: events))
            for _ in 0..<3 {
                let (one, two) = (shared.observe(), shared.observe())
                one.expect([0])
                two.expect([0])
                one.cancel()
                XCTAssertNotEqual(events.all.last, "cancel")
                two.cancel()
                XCTAssertEqual(events.all.last, "cancel")
                XCTAssertTrue(fixture.writer.observations.isEmpty)
            }
            events.expect(Array(repeating: begin + ["cancel"], count: 3).flatMap { $0 })
        }
    }

    func testAChangeIsFetchedOnceForAllClients() throws {
        try onEachFixture { fixture in
            for extent in extents {
                try fixture.writer.commit("DELETE FROM t")
                let fetches = FetchCount()
                let shared = fixture.share(rowCounts.handleEvents(willFetch: { fetches.add() }), extent)
                let clients = (0..<5).map { _ in shared.observe() }
                for client in clients { client.expect([0]) }
                try fixture.insert()
                for client in clients { client.expect([0, 1]) }
                let late = shared.observe()
                late.expect([1])
                XCTAssertEqual(fetches.count, 2)
                try fixture.insert()
                for client in clients { client.expect([0, 1, 2]) }
                late.expect([1, 2])
                XCTAssertEqual(fetches.count, 3)
            }
        }
    }

    func testOnlyACancelledClientStopsReceivingValues() throws {
        try onEachFixture { fixture in
            let shared = fixture.share(rowCounts)
            let (one, two) = (shared.observe(), shared.observe())
            one.expect([0])
            two.expect([0])
            one.cancel()
            one.cancel()
            try fixture.insert()
            two.expect([0, 1])
            XCTAssertEqual(one.values.all, [0])
        }
    }

    func testAnImmediateReplayIsDeliveredBeforeTheClientStartReturns() throws {
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            for extent in extents {
                let shared = fixture.share(rowCounts, extent)
                let (one, two) = (shared.observe(), shared.observe())
                XCTAssertEqual(one.values.all, [0])
                XCTAssertEqual(two.values.all, [0])
            }
        }
    }

    func testAClientStartsInsideTheFirstNotificationOfAnotherAndNothingStartsTwice() throws {
        try onEachFixture { fixture in
            for extent in extents {
                // An equal observation that has not ended yet would share its fetches.
                repeat {
                    try fixture.writer.barrierWriteWithoutTransaction { _ in }
                } while !fixture.writer.observations.isEmpty
                try fixture.writer.commit("DELETE FROM t")
                let events = Lines()
                let shared = fixture.share(rowCounts.print(to: events), extent)
                let inner = Mutex<Observed<Int>?>(nil)
                let outer = Recorder<Int>()
                let isInside = Recorder<Int>()
                let isImmediate = fixture.scheduling == .immediate
                let cancellable = shared.start(
                    onError: { XCTFail("\($0)") },
                    onChange: { value in
                        if inner.withLock({ $0 == nil }) {
                            let client = shared.observe()
                            if isImmediate { XCTAssertEqual(client.values.all, [0]) }
                            inner.withLock { $0 = client }
                            isInside.append(value)
                        }
                        outer.append(value)
                    })
                isInside.wait(count: 1)
                let client = try XCTUnwrap(inner.withLock { $0 })
                client.expect([0])
                try fixture.insert()
                client.expect([0, 1])
                XCTAssertEqual(outer.wait(count: 2), [0, 1])
                events.expect(begin + ["database did change", "fetch", "value: 1"])
                cancellable.cancel()
                inner.withLock { $0 = nil }
            }
        }
    }

    func testAClientCancelsItselfInsideItsFirstNotification() throws {
        try onEachFixture(WriterKind.allCases, [.immediate]) { fixture in
            let events = Lines()
            let shared = fixture.share(rowCounts.print(to: events))
            let first = fixture.share(rowCounts)
            let client = first.observe()
            let values = Values<Int>()
            // The client that starts the observation is cancelled before the observation can be.
            let outer = shared.start(onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
            outer.cancel()
            XCTAssertEqual(values.all, [0])
            XCTAssertEqual(events.all.last, "cancel")
            client.expect([0])
        }
    }

    func testAClientKeepsTheObservationAliveAfterItsOwnerReleasedIt() throws {
        try onEachFixture { fixture in
            for extent in extents {
                try fixture.writer.commit("DELETE FROM t")
                let events = Lines()
                var shared = Optional(fixture.share(rowCounts.print(to: events), extent))
                var client = shared?.observe()
                shared = nil
                client?.expect([0])
                try fixture.insert()
                client?.expect([0, 1])
                client = nil
                events.expect(begin + ["database did change", "fetch", "value: 1", "cancel"])
            }
        }
    }

    func testAValueMayOwnAClient() throws {
        /// Removes a client when it is released.
        final class Owner: Sendable {
            let count: Int
            let client = Mutex<AnyDatabaseCancellable?>(nil)

            init(_ count: Int) { self.count = count }
        }
        try onEachFixture { fixture in
            let shared = fixture.share(rowCounts.map { Owner($0) })
            let counts = Recorder<Int>()
            let client = shared.start(
                onError: { XCTFail("\($0)") },
                onChange: { owner in
                    if owner.count < 2 {
                        let other = shared.start(onError: { XCTFail("\($0)") }, onChange: { _ in })
                        owner.client.withLock { $0 = other }
                    }
                    counts.append(owner.count)
                })
            for count in 0...2 {
                XCTAssertEqual(counts.wait(count: count + 1), Array(0...count))
                if count < 2 { try fixture.insert() }
            }
            client.cancel()
        }
    }

    private static let fallible = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM u") ?? -1
    }

    func testWhileObservedALaterClientRestartsItAfterAnError() throws {
        try onEachFixture { fixture in
            let events = Lines()
            let shared = fixture.share(Self.fallible.print(to: events))
            let clients = [shared.observe(), shared.observe()]
            for client in clients {
                client.errors.wait(count: 1)
                XCTAssertEqual(client.values.all, [])
            }
            try fixture.writer.commit("CREATE TABLE u(a)")
            let later = shared.observe()
            later.expect([0])
            try fixture.writer.commit("INSERT INTO u VALUES (1)")
            later.expect([0, 1])
            try fixture.writer.commit("DROP TABLE u")
            later.errors.wait(count: 1)
            let last = shared.observe()
            last.errors.wait(count: 1)
            XCTAssertEqual(last.values.all, [])
            for client in clients { XCTAssertEqual(client.errors.all.count, 1) }
        }
    }

    func testClientsThatRetryInsideTheirErrorCallbackRestartIt() throws {
        try onEachFixture { fixture in
            let fetches = FetchCount()
            let shared = fixture.share(Self.fallible.handleEvents(willFetch: { fetches.add() }))
            let errors = Recorder<Int>()
            let cancellables = Mutex<[AnyDatabaseCancellable]>([])
            @Sendable func start(_ attempt: Int) {
                let cancellable = shared.start(
                    onError: { _ in
                        errors.append(attempt)
                        if attempt < 3 { start(attempt + 1) }
                    }, onChange: { XCTFail("a value: \($0)") })
                cancellables.withLock { $0.append(cancellable) }
            }
            start(1)
            start(1)
            XCTAssertEqual(errors.wait(count: 6).sorted(), [1, 1, 2, 2, 3, 3])
            XCTAssertGreaterThanOrEqual(fetches.count, 3, "each attempt of a client fetches")
        }
    }

    func testForItsLifetimeItFailsPermanentlyWithoutAnotherFetch() throws {
        try onEachFixture { fixture in
            let fetches = FetchCount()
            let shared = fixture.share(
                Self.fallible.handleEvents(willFetch: { fetches.add() }), .observationLifetime)
            let first = shared.observe()
            let error = first.errors.wait(count: 1)[0]
            try fixture.writer.commit("CREATE TABLE u(a)")
            for _ in 0..<3 {
                let later = shared.observe()
                XCTAssertEqual("\(later.errors.wait(count: 1)[0])", "\(error)")
                XCTAssertEqual(later.values.all, [])
            }
            XCTAssertEqual(fetches.count, 1)
        }
    }

    func testEachLoopOverItsValuesIsAClient() async throws {
        try await onEachWriterAsync { writer in
            let fetches = FetchCount()
            let shared = rowCounts.handleEvents(willFetch: { fetches.add() }).shared(in: writer)
            var one = shared.values().makeAsyncIterator()
            var two = shared.values().makeAsyncIterator()
            for expected in 0...2 {
                let values = [try await one.next(), try await two.next()]
                XCTAssertEqual(values, [expected, expected])
                XCTAssertEqual(fetches.count, expected + 1)
                try await writer.write { db in try db.execute(sql: insertIntoT) }
            }
        }
    }

    func testClosingTheDatabaseEndsTheLoopsOfAllClients() async throws {
        for extent in [SharedValueObservationExtent.whileObserved, .observationLifetime] {
            try await onEachWriterAsync { writer in
                let shared = rowCounts.shared(in: writer, extent: extent)
                var one = shared.values().makeAsyncIterator()
                var two = shared.values().makeAsyncIterator()
                var values = [try await one.next(), try await two.next()]
                XCTAssertEqual(values, [0, 0])
                try writer.close()
                values = [try await one.next(), try await two.next()]
                XCTAssertEqual(values, [nil, nil])
                do {
                    for try await _ in shared.values() { XCTFail("the database is closed") }
                    XCTFail("a client of a closed database receives an error")
                } catch let error as DatabaseError {
                    XCTAssertEqual(error.resultCode, .SQLITE_MISUSE)
                }
            }
        }
    }

    func testClientsStartAndEndOnManyThreads() throws {
        try onEachFixture(WriterKind.allCases, [.queue, .task]) { fixture in
            for extent in extents {
                let shared = fixture.share(rowCounts, extent)
                let before = try fixture.writer.read(countRows)
                DispatchQueue.concurrentPerform(iterations: 20) { _ in
                    let client = shared.observe()
                    client.values.wait(for: before)
                    client.cancel()
                }
                let client = shared.observe()
                try fixture.insert()
                let values = client.values.wait(for: before + 1)
                XCTAssertEqual(values, values.sorted())
            }
        }
    }
}
