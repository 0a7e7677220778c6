#if canImport(Combine) || OpenCombine
    import VigilCombine
    import XCTest

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
    #endif

    final class RegionPublisherTests: XCTestCase {
        private func counts(in writer: any DatabaseWriter) -> some Publisher<Int, any Error> {
            DatabaseRegionObservation(tracking: DatabaseRegion(table: "t")).publisher(in: writer)
                .tryMap { db in try countRowsOfT(db) }
        }

        func testEachCommitIsPublishedInsideTheAccessThatCommitted() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                counts(in: writer).subscribe(subscriber)
                XCTAssertEqual(subscriber.values.all, [], "the initial value is not reported")
                try writer.insertIntoT()
                XCTAssertEqual(subscriber.values.all, [1])
                try writer.insertIntoT(2)
                XCTAssertEqual(subscriber.values.all, [1, 3])
                subscriber.cancel()
                try writer.insertIntoT()
                XCTAssertEqual(subscriber.values.all, [1, 3])
                XCTAssertEqual(subscriber.completions.all, [])
            }
        }

        func testASubscriptionInsideAWriteObservesTheCurrentTransaction() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                try writer.writeWithoutTransaction { db in
                    try db.inTransaction {
                        // The initial connection precedes the commits, and no change is lost in between.
                        DatabaseRegionObservation(tracking: DatabaseRegion(table: "t")).publisher(in: writer)
                            .prepend(db)
                            .tryMap { db in try countRowsOfT(db) }
                            .subscribe(subscriber)
                        try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
                        return .commit
                    }
                }
                try writer.insertIntoT()
                XCTAssertEqual(subscriber.values.all, [0, 1, 2])
                subscriber.cancel()
            }
        }

        func testCommitsWithoutDemandAreNotPublished() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .none)
                counts(in: writer).subscribe(subscriber)
                try writer.insertIntoT()
                subscriber.request(.max(1))
                XCTAssertEqual(subscriber.values.all, [])
                try writer.insertIntoT()
                try writer.insertIntoT()
                XCTAssertEqual(subscriber.values.all, [2])
                subscriber.request(.max(2))
                for _ in 0..<3 { try writer.insertIntoT() }
                XCTAssertEqual(subscriber.values.all, [2, 4, 5])
                subscriber.cancel()
            }
        }

        func testCancellingInsideTheCallbackEndsTheObservation() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited) { subscriber, _ in
                    subscriber.cancel()
                    return .unlimited
                }
                counts(in: writer).subscribe(subscriber)
                try writer.insertIntoT()
                try writer.insertIntoT()
                XCTAssertEqual(subscriber.values.all, [1])
            }
        }

        func testARegionThatCannotBeDeterminedFailsThePublisher() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                let request: SQLRequest<Int> = "SELECT missing FROM t"
                DatabaseRegionObservation(tracking: request).publisher(in: writer)
                    .tryMap { db in try countRowsOfT(db) }
                    .subscribe(subscriber)
                let completions = subscriber.completions.all
                XCTAssertEqual(completions.count, 1)
                XCTAssertTrue(
                    completions.first?.contains("no such column: missing") == true, "\(completions)")
                try writer.insertIntoT()
                XCTAssertEqual(subscriber.values.all, [])
            }
        }
    }
#endif
