#if canImport(Combine) || OpenCombine
    import Dispatch
    import Foundation
    import VigilCombine
    import XCTest

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
    #endif

    final class ObservationPublisherTests: XCTestCase {
        // MARK: - Scheduling

        func testValuesArriveOnTheMainQueueInCommitOrder() throws {
            try onEachAdapterWriter { writer in
                let values = Recorder<Int>()
                let isReturned = Recorder<Int>()
                let cancellable = CountedRows().observation.publisher(in: writer).sink(
                    receiveCompletion: { XCTFail("\($0)") },
                    receiveValue: { value in
                        dispatchPrecondition(condition: .onQueue(.main))
                        XCTAssertEqual(isReturned.all, [1], "before sink has returned")
                        values.append(value)
                    })
                isReturned.append(1)
                if writer is DatabasePool { values.wait(last: 0) }
                try writer.insertIntoT()
                try writer.insertIntoT(2)
                assertCommits(values.wait(last: 3), are: [0, 1, 3], in: writer)
                cancellable.cancel()
            }
        }

        func testWithImmediateTheFirstValueArrivesBeforeSinkReturns() throws {
            try onEachAdapterWriter { writer in
                let values = Recorder<Int>()
                let cancellable = CountedRows().observation.publisher(in: writer, scheduling: .immediate)
                    .sink(
                        receiveCompletion: { XCTFail("\($0)") }, receiveValue: { values.append($0) })
                XCTAssertEqual(values.all, [0])
                try writer.insertIntoT()
                XCTAssertEqual(values.all, [0], "changes arrive asynchronously")
                XCTAssertEqual(values.wait(count: 2), [0, 1])
                cancellable.cancel()
            }
        }

        func testValuesAndErrorsArriveOnTheQueueOfTheScheduler() throws {
            try onEachAdapterWriter { writer in
                let queue = DispatchQueue(label: "values")
                let (values, errors) = (Recorder<Int>(), Recorder<Int>())
                let cancellable = CountedRows().observation
                    .publisher(in: writer, scheduling: .async(onQueue: queue)).sink(
                        receiveCompletion: { _ in
                            dispatchPrecondition(condition: .onQueue(queue))
                            errors.append(1)
                        },
                        receiveValue: { value in
                            dispatchPrecondition(condition: .onQueue(queue))
                            values.append(value)
                        })
                values.wait(last: 0)
                try writer.writeWithoutTransaction { db in try db.execute(sql: "DROP TABLE t") }
                errors.wait(count: 1)
                cancellable.cancel()
            }
        }

        // MARK: - Errors and ends

        func testAnInitialErrorFailsThePublisher() throws {
            try onEachAdapterWriter { writer in
                let failing = ValueObservation.tracking { db in try db.execute(sql: "THIS IS NOT SQL") }
                let subscribers = [
                    TestSubscriber<Void>(demand: .unlimited), TestSubscriber<Void>(demand: .max(1)),
                ]
                failing.publisher(in: writer).subscribe(subscribers[0])
                failing.publisher(in: writer, scheduling: .immediate).subscribe(subscribers[1])
                XCTAssertEqual(subscribers[1].completions.all.count, 1, "an immediate error is synchronous")
                for subscriber in subscribers {
                    let completions = subscriber.completions.wait(count: 1)
                    XCTAssertTrue(completions[0].contains("syntax error"), "\(completions)")
                    XCTAssertEqual(subscriber.values.all.count, 0)
                }
                XCTAssertEqual(writer.observations.count, 0)
            }
        }

        func testALateErrorFollowsTheValues() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                CountedRows().observation.publisher(in: writer).subscribe(subscriber)
                subscriber.values.wait(last: 0)
                try writer.writeWithoutTransaction { db in try db.execute(sql: "DROP TABLE t") }
                let completions = subscriber.completions.wait(count: 1)
                XCTAssertTrue(completions[0].contains("no such table: t"), "\(completions)")
                XCTAssertEqual(subscriber.values.all, [0])
            }
        }

        func testClosingTheDatabaseEndsTheObservationWithoutACompletion() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                CountedRows().observation.publisher(in: writer).subscribe(subscriber)
                subscriber.values.wait(last: 0)
                try writer.close()
                drainMainQueue()
                XCTAssertEqual(subscriber.completions.all, [])
                XCTAssertEqual(writer.observations.count, 0)
            }
        }

        func testOperatorsThatFinishEarlyEndTheObservation() throws {
            try onEachAdapterWriter { writer in
                let (values, ends) = (Recorder<Int>(), Recorder<Int>())
                let cancellable = CountedRows().observation.publisher(in: writer, scheduling: .immediate)
                    .first { $0 > 0 }
                    .sink(
                        receiveCompletion: { _ in ends.append(1) }, receiveValue: { values.append($0) })
                try writer.insertIntoT()
                ends.wait(count: 1)
                XCTAssertEqual(values.all, [1])
                XCTAssertEqual(writer.observations.count, 0)
                cancellable.cancel()
            }
        }

        // MARK: - Subscriptions

        func testEachSubscriptionStartsAnObservation() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let publisher = rows.observation.publisher(in: writer)
                let subscribers = (0..<2).map { _ in TestSubscriber<Int>(demand: .unlimited) }
                XCTAssertEqual(rows.starts.all.count, 0)
                for subscriber in subscribers { publisher.subscribe(subscriber) }
                XCTAssertEqual(rows.starts.all.count, 2)
                for subscriber in subscribers { subscriber.values.wait(last: 0) }
                subscribers[0].cancel()
                try writer.insertIntoT()
                XCTAssertEqual(subscribers[1].values.wait(last: 1), [0, 1])
                XCTAssertEqual(subscribers[0].values.all, [0])
                subscribers[1].cancel()
            }
        }

        func testReleasingTheSubscriptionEndsTheObservation() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                CountedRows().observation.publisher(in: writer).subscribe(subscriber)
                subscriber.values.wait(last: 0)
                XCTAssertEqual(writer.observations.count, 1)
                subscriber.releaseSubscription()
                XCTAssertEqual(writer.observations.count, 0)
            }
        }

        func testAPublisherCanBeSubscribedOnAnyThread() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                let publisher = CountedRows().observation.publisher(in: writer)
                DispatchQueue.global().async { publisher.subscribe(subscriber) }
                subscriber.values.wait(last: 0)
                subscriber.cancel()
            }
        }

        // MARK: - Cancellation

        func testCancellingInsideTheCallbackEndsTheObservation() throws {
            try onEachAdapterWriter { writer in
                for isImmediate in [true, false] {
                    let first = try writer.read(countRowsOfT)
                    let subscriber = TestSubscriber<Int>(demand: .unlimited) { subscriber, _ in
                        subscriber.cancel()
                        return .unlimited
                    }
                    let observation = CountedRows().observation
                    if isImmediate {
                        observation.publisher(in: writer, scheduling: .immediate).subscribe(subscriber)
                    } else {
                        observation.publisher(in: writer).subscribe(subscriber)
                    }
                    subscriber.values.wait(count: 1)
                    XCTAssertEqual(writer.observations.count, 0)
                    try writer.insertIntoT()
                    drainMainQueue()
                    XCTAssertEqual(subscriber.values.all, [first])
                    XCTAssertEqual(subscriber.completions.all, [])
                }
            }
        }

        func testACommittedChangeIsNotDeliveredAfterCancel() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                CountedRows().observation.publisher(in: writer).subscribe(subscriber)
                subscriber.values.wait(last: 0)
                // The main queue delivers nothing before this method waits for it.
                try writer.insertIntoT()
                subscriber.cancel()
                drainMainQueue()
                XCTAssertEqual(subscriber.values.all, [0])
            }
        }

        func testACancelledSubscriptionIgnoresDemand() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let subscriber = TestSubscriber<Int>(demand: .none)
                rows.observation.publisher(in: writer).subscribe(subscriber)
                subscriber.cancel()
                subscriber.request(.unlimited)
                drainMainQueue()
                XCTAssertEqual(rows.starts.all.count, 0)
                XCTAssertEqual(subscriber.values.all, [])
            }
        }

        func testACallbackMayWrite() throws {
            try onEachAdapterWriter { writer in
                let values = Recorder<Int>()
                let cancellable = CountedRows().observation.publisher(in: writer, scheduling: .immediate)
                    .sink(
                        receiveCompletion: { XCTFail("\($0)") },
                        receiveValue: { value in
                            values.append(value)
                            if value < 3 { writer.insertIntoTOrFail() }
                        })
                XCTAssertEqual(values.wait(last: 3), [0, 1, 2, 3])
                cancellable.cancel()
            }
        }

        /// The read begins on the main queue, in the callback of an access whose queue has a target queue.
        func testAReadPublisherMayBeginInTheCallbackOfAnImmediateValue() throws {
            var configuration = Configuration()
            configuration.targetQueue = DispatchQueue(label: "target", qos: .userInitiated)
            try onEachAdapterWriter(configuration) { writer in
                let values = Recorder<Int>()
                let cancellable = CountedRows().observation.publisher(in: writer, scheduling: .immediate)
                    .map { _ in writer.readPublisher(value: countRowsOfT) }
                    .switchToLatest()
                    .sink(receiveCompletion: { XCTFail("\($0)") }, receiveValue: { values.append($0) })
                XCTAssertEqual(values.wait(count: 1), [0])
                cancellable.cancel()
            }
        }
    }
#endif
