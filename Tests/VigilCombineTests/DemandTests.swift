#if canImport(Combine) || OpenCombine
    import VigilCombine
    import XCTest

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
    #endif

    final class DemandTests: XCTestCase {
        func testNothingStartsWithoutDemand() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let subscriber = TestSubscriber<Int>(demand: .none)
                rows.observation.publisher(in: writer).subscribe(subscriber)
                try writer.insertIntoT()
                drainMainQueue()
                XCTAssertEqual(rows.starts.all.count, 0)
                XCTAssertEqual(rows.fetches.all.count, 0)
                XCTAssertEqual(writer.observations.count, 0)
                // The value is that of the first demand.
                subscriber.request(.max(1))
                XCTAssertEqual(subscriber.values.wait(count: 1), [1])
                subscriber.cancel()
            }
        }

        func testChangesWithoutDemandAreFetchedOnceTheyAreRequested() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let subscriber = TestSubscriber<Int>(demand: .max(1))
                rows.observation.publisher(in: writer).subscribe(subscriber)
                subscriber.values.wait(count: 1)
                for _ in 0..<3 { try writer.insertIntoT() }
                drainMainQueue()
                XCTAssertEqual(subscriber.values.all, [0])
                XCTAssertEqual(rows.fetches.all.count, 1)
                // The commits were coalesced: the newest value is fetched, and only now.
                subscriber.request(.max(1))
                XCTAssertEqual(subscriber.values.wait(count: 2), [0, 3])
                XCTAssertEqual(rows.fetches.all.count, 2)
                subscriber.cancel()
            }
        }

        func testADemandOfTwoReceivesTwoValues() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let subscriber = TestSubscriber<Int>(demand: .max(2))
                rows.observation.publisher(in: writer, scheduling: .immediate).subscribe(subscriber)
                XCTAssertEqual(subscriber.values.all, [0])
                try writer.insertIntoT()
                XCTAssertEqual(subscriber.values.wait(count: 2), [0, 1])
                try writer.insertIntoT()
                drainMainQueue()
                XCTAssertEqual(subscriber.values.all, [0, 1])
                XCTAssertEqual(rows.fetches.all.count, 2)
                subscriber.cancel()
            }
        }

        func testDemandAddsUp() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .max(1))
                CountedRows().observation.publisher(in: writer).subscribe(subscriber)
                subscriber.request(.max(1))
                subscriber.values.wait(count: 1)
                try writer.insertIntoT()
                XCTAssertEqual(subscriber.values.wait(count: 2), [0, 1])
                try writer.insertIntoT()
                drainMainQueue()
                XCTAssertEqual(subscriber.values.all, [0, 1])
                subscriber.cancel()
            }
        }

        func testDemandThatTheSubscriberReturnsIsHonored() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .max(1)) { _, value in
                    value < 2 ? .max(1) : .none
                }
                CountedRows().observation.publisher(in: writer).subscribe(subscriber)
                subscriber.values.wait(last: 0)
                try writer.insertIntoT()
                subscriber.values.wait(last: 1)
                try writer.insertIntoT()
                subscriber.values.wait(last: 2)
                try writer.insertIntoT()
                drainMainQueue()
                XCTAssertEqual(subscriber.values.all, [0, 1, 2])
                subscriber.cancel()
            }
        }

        func testDemandInsideTheFirstSynchronousValueIsHonored() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .max(1)) { subscriber, value in
                    if value == 0 { subscriber.request(.max(1)) }
                    return .none
                }
                CountedRows().observation.publisher(in: writer, scheduling: .immediate).subscribe(subscriber)
                XCTAssertEqual(subscriber.values.all, [0])
                try writer.insertIntoT()
                XCTAssertEqual(subscriber.values.wait(count: 2), [0, 1])
                try writer.insertIntoT()
                drainMainQueue()
                XCTAssertEqual(subscriber.values.all, [0, 1])
                subscriber.cancel()
            }
        }

        func testUnlimitedDemandMayFollowLimitedDemand() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .max(1))
                CountedRows().observation.publisher(in: writer).subscribe(subscriber)
                subscriber.values.wait(count: 1)
                subscriber.request(.unlimited)
                for count in 1...5 {
                    try writer.insertIntoT()
                    subscriber.values.wait(last: count)
                }
                XCTAssertEqual(subscriber.values.all, [0, 1, 2, 3, 4, 5])
                subscriber.cancel()
            }
        }

        func testASlowSubscriberOfAPoolReceivesTheNewestValue() throws {
            try onEachAdapterWriter { writer in
                guard writer is DatabasePool else { return }
                let rows = CountedRows()
                let subscriber = TestSubscriber<Int>(demand: .unlimited) { _, value in
                    // The writes take place while the first value is being consumed.
                    if value == 0 {
                        for _ in 0..<50 { writer.insertIntoTOrFail() }
                    }
                    return .none
                }
                rows.observation.publisher(in: writer).subscribe(subscriber)
                subscriber.values.wait(last: 50)
                XCTAssertEqual(subscriber.values.all, [0, 50])
                XCTAssertEqual(rows.fetches.all.count, 2)
                subscriber.cancel()
            }
        }
    }
#endif
