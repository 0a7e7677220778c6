#if canImport(Combine) || OpenCombine
    import VigilCombine
    import XCTest

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
    #endif

    final class SharedPublisherTests: XCTestCase {
        func testSubscribersShareOneFetch() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let publisher = rows.observation.shared(in: writer).publisher()
                XCTAssertEqual(rows.starts.all.count, 0)
                let subscribers = (0..<3).map { _ in TestSubscriber<Int>(demand: .unlimited) }
                for subscriber in subscribers { publisher.subscribe(subscriber) }
                for subscriber in subscribers { subscriber.values.wait(last: 0) }
                try writer.insertIntoT()
                for subscriber in subscribers {
                    XCTAssertEqual(subscriber.values.wait(last: 1), [0, 1])
                }
                XCTAssertEqual(rows.fetches.all.count, 2)
                for subscriber in subscribers { subscriber.cancel() }
                XCTAssertEqual(writer.observations.count, 0)
            }
        }

        func testALateSubscriberReceivesTheLastValue() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let publisher = rows.observation.shared(in: writer, scheduling: .immediate).publisher()
                let subscribers = (0..<2).map { _ in TestSubscriber<Int>(demand: .unlimited) }
                publisher.subscribe(subscribers[0])
                publisher.subscribe(subscribers[1])
                XCTAssertEqual(subscribers.map(\.values.all), [[0], [0]])
                XCTAssertEqual(rows.fetches.all.count, 1)
                for subscriber in subscribers { subscriber.cancel() }
            }
        }

        func testTheNewestValueIsKeptForASubscriberWithoutDemand() throws {
            try onEachAdapterWriter { writer in
                let publisher = CountedRows().observation.shared(in: writer).publisher()
                let eager = TestSubscriber<Int>(demand: .unlimited)
                let lazy = TestSubscriber<Int>(demand: .max(1))
                publisher.subscribe(eager)
                publisher.subscribe(lazy)
                lazy.values.wait(count: 1)
                for count in 1...3 {
                    try writer.insertIntoT()
                    eager.values.wait(last: count)
                }
                drainMainQueue()
                XCTAssertEqual(lazy.values.all, [0])
                lazy.request(.max(1))
                XCTAssertEqual(lazy.values.wait(count: 2), [0, 3])
                eager.cancel()
                lazy.cancel()
            }
        }

        func testNothingStartsWithoutDemand() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let subscriber = TestSubscriber<Int>(demand: .none)
                rows.observation.shared(in: writer).publisher().subscribe(subscriber)
                XCTAssertEqual(rows.starts.all.count, 0)
                subscriber.request(.unlimited)
                subscriber.values.wait(last: 0)
                subscriber.cancel()
            }
        }

        func testAnErrorFailsAllSubscribers() throws {
            try onEachAdapterWriter { writer in
                let publisher = CountedRows().observation.shared(in: writer).publisher()
                let subscribers = (0..<2).map { _ in TestSubscriber<Int>(demand: .unlimited) }
                for subscriber in subscribers { publisher.subscribe(subscriber) }
                for subscriber in subscribers { subscriber.values.wait(last: 0) }
                try writer.writeWithoutTransaction { db in try db.execute(sql: "DROP TABLE t") }
                for subscriber in subscribers {
                    let completions = subscriber.completions.wait(count: 1)
                    XCTAssertTrue(completions[0].contains("no such table"), "\(completions)")
                }
            }
        }

        func testCancellingInsideTheCallbackEndsOnlyThisSubscription() throws {
            try onEachAdapterWriter { writer in
                let publisher = CountedRows().observation.shared(in: writer).publisher()
                let cancelling = TestSubscriber<Int>(demand: .unlimited) { subscriber, _ in
                    subscriber.cancel()
                    return .none
                }
                let other = TestSubscriber<Int>(demand: .unlimited)
                publisher.subscribe(cancelling)
                publisher.subscribe(other)
                other.values.wait(last: 0)
                cancelling.values.wait(count: 1)
                try writer.insertIntoT()
                other.values.wait(last: 1)
                XCTAssertEqual(cancelling.values.all, [0])
                other.cancel()
            }
        }
    }
#endif
