#if canImport(Combine) || OpenCombine
    import Dispatch
    import VigilCombine
    import XCTest

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
        import OpenCombineDispatch
    #endif

    final class AccessPublisherTests: XCTestCase {
        private let insert: @Sendable (Database) throws -> Int = { db in
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            return try countRowsOfT(db)
        }

        private struct Failure: Error {}

        // MARK: - Reads

        func testAReadPublishesOneValueOnTheMainQueueAndFinishes() throws {
            try onEachAdapterWriter { writer in
                for reader in try [writer, AnyDatabaseReader(writer)] + snapshots(of: writer) {
                    let (values, ends) = (Recorder<Int>(), Recorder<Int>())
                    let cancellable = reader.readPublisher(value: countRowsOfT).sink(
                        receiveCompletion: { completion in
                            dispatchPrecondition(condition: .onQueue(.main))
                            guard case .finished = completion else { return XCTFail("\(completion)") }
                            ends.append(values.all.count)
                        },
                        receiveValue: { value in
                            dispatchPrecondition(condition: .onQueue(.main))
                            values.append(value)
                        })
                    XCTAssertEqual(values.all, [], "the value arrives asynchronously")
                    XCTAssertEqual(ends.wait(count: 1), [1])
                    XCTAssertEqual(values.all, [0])
                    cancellable.cancel()
                }
            }
        }

        private func snapshots(of writer: any DatabaseWriter) throws -> [any DatabaseReader] {
            guard let pool = writer as? DatabasePool else { return [] }
            return [try pool.makeSnapshot()]
        }

        func testResultsArriveOnTheGivenScheduler() throws {
            try onEachAdapterWriter { writer in
                let queue = DispatchQueue(label: "results")
                let values = Recorder<Int>()
                let publishers: [AnyPublisher<Int, any Error>] = [
                    writer.readPublisher(receiveOn: queue, value: countRowsOfT).eraseToAnyPublisher(),
                    writer.writePublisher(receiveOn: queue, updates: insert).eraseToAnyPublisher(),
                    writer.writePublisher(receiveOn: queue, updates: insert, thenRead: { _, count in count })
                        .eraseToAnyPublisher(),
                    DatabaseMigrator().migratePublisher(writer, receiveOn: queue).map { -1 }
                        .eraseToAnyPublisher(),
                ]
                for (index, publisher) in publishers.enumerated() {
                    let cancellable = publisher.sink(
                        receiveCompletion: { _ in dispatchPrecondition(condition: .onQueue(queue)) },
                        receiveValue: { value in
                            dispatchPrecondition(condition: .onQueue(queue))
                            values.append(value)
                        })
                    values.wait(count: index + 1)
                    cancellable.cancel()
                }
                XCTAssertEqual(values.all, [0, 1, 2, -1])
            }
        }

        func testAReadThatFailsOrWritesFailsThePublisher() throws {
            try onEachAdapterWriter { writer in
                let failing = TestSubscriber<[Row]>(demand: .unlimited)
                writer.readPublisher { db in try Row.fetchAll(db, sql: "THIS IS NOT SQL") }.subscribe(failing)
                XCTAssertTrue(failing.completions.wait(count: 1)[0].contains("syntax error"))
                let writing = TestSubscriber<Int>(demand: .unlimited)
                writer.readPublisher(value: insert).subscribe(writing)
                XCTAssertTrue(writing.completions.wait(count: 1)[0].contains("readonly"))
                XCTAssertEqual(writing.values.all, [])
            }
        }

        func testOutputsNeedNotBeSendable() throws {
            final class Box {
                var value: Int
                init(_ value: Int) { self.value = value }
            }
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                writer.readPublisher { db in Box(try countRowsOfT(db)) }.map(\.value).subscribe(subscriber)
                XCTAssertEqual(subscriber.values.wait(count: 1), [0])
            }
        }

        // MARK: - Demand and cancellation

        func testNothingIsAccessedWithoutDemand() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .none)
                writer.writePublisher(updates: insert).subscribe(subscriber)
                XCTAssertEqual(try writer.read(countRowsOfT), 0)
                subscriber.request(.max(1))
                XCTAssertEqual(subscriber.values.wait(count: 1), [1])
                // A single value was published, so further demand changes nothing.
                subscriber.request(.max(1))
                XCTAssertEqual(subscriber.completions.wait(count: 1), ["finished"])
                XCTAssertEqual(try writer.read(countRowsOfT), 1)
            }
        }

        func testEachSubscriptionIsAnAccessOfItsOwn() throws {
            try onEachAdapterWriter { writer in
                let publisher = writer.writePublisher(updates: insert)
                for count in 1...3 {
                    let subscriber = TestSubscriber<Int>(demand: .unlimited)
                    publisher.subscribe(subscriber)
                    XCTAssertEqual(subscriber.values.wait(count: 1), [count])
                }
            }
        }

        func testCancellingInsideTheCallbackSuppressesTheCompletion() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited) { subscriber, _ in
                    subscriber.cancel()
                    return .none
                }
                writer.readPublisher(value: countRowsOfT).subscribe(subscriber)
                subscriber.values.wait(count: 1)
                drainMainQueue()
                XCTAssertEqual(subscriber.completions.all, [])
            }
        }

        func testACancelledReadDoesNotRun() throws {
            try onEachAdapterWriter { writer in
                guard writer is DatabaseQueue else { return }
                let reads = Recorder<Int>()
                let subscriber = TestSubscriber<Int>(demand: .none)
                writer.readPublisher { db in
                    reads.append(1)
                    return try countRowsOfT(db)
                }
                .subscribe(subscriber)
                // The read waits for the end of this access.
                try writer.read { _ in
                    subscriber.request(.unlimited)
                    subscriber.cancel()
                }
                try writer.read { _ in }
                drainMainQueue()
                XCTAssertEqual(reads.all.count, 0)
                XCTAssertEqual(subscriber.values.all, [])
                XCTAssertEqual(subscriber.completions.all, [])
            }
        }

        func testACancelledWriteTakesPlaceAndPublishesNothing() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                writer.writePublisher(updates: insert).subscribe(subscriber)
                subscriber.cancel()
                XCTAssertEqual(try writer.writeWithoutTransaction(countRowsOfT), 1)
                drainMainQueue()
                XCTAssertEqual(subscriber.values.all, [])
                XCTAssertEqual(subscriber.completions.all, [])
            }
        }

        func testConcurrentCancellationsDoNotDeadlock() throws {
            try onEachAdapterWriter { writer in
                let subject = PassthroughSubject<Int, any Error>()
                let values = Recorder<Int>()
                let cancellable =
                    subject
                    .map { [insert] _ in writer.writePublisher(updates: insert) }
                    .switchToLatest()
                    .sink(receiveCompletion: { XCTFail("\($0)") }, receiveValue: { values.append($0) })
                for index in 0..<50 { subject.send(index) }
                XCTAssertEqual(values.wait(last: 50).last, 50)
                cancellable.cancel()
            }
        }

        // MARK: - Writes

        func testAWritePublishesTheResultAfterTheCommit() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                writer.writePublisher(updates: insert).subscribe(subscriber)
                XCTAssertEqual(subscriber.values.wait(count: 1), [1])
                XCTAssertEqual(subscriber.completions.wait(count: 1), ["finished"])
                XCTAssertEqual(try writer.read(countRowsOfT), 1)
            }
        }

        func testAFailedWriteIsRolledBack() throws {
            try onEachAdapterWriter { writer in
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                writer.writePublisher { [insert] db -> Int in
                    _ = try insert(db)
                    throw Failure()
                }
                .subscribe(subscriber)
                XCTAssertEqual(subscriber.completions.wait(count: 1), ["Failure()"])
                XCTAssertEqual(try writer.read(countRowsOfT), 0)
            }
        }

        func testTheReadAfterAWriteSeesTheWriteAndCannotWrite() throws {
            try onEachAdapterWriter { writer in
                let reading = TestSubscriber<[Int]>(demand: .unlimited)
                writer.writePublisher(
                    updates: insert, thenRead: { db, count in [count, try countRowsOfT(db)] }
                )
                .subscribe(reading)
                XCTAssertEqual(reading.values.wait(count: 1), [[1, 1]])
                let writing = TestSubscriber<Int>(demand: .unlimited)
                writer.writePublisher(updates: insert, thenRead: { [insert] db, _ in try insert(db) })
                    .subscribe(writing)
                XCTAssertTrue(writing.completions.wait(count: 1)[0].contains("readonly"))
                XCTAssertEqual(try writer.read(countRowsOfT), 2, "the write remains")
            }
        }

        func testNoReadFollowsAFailedWrite() throws {
            try onEachAdapterWriter { writer in
                let reads = Recorder<Int>()
                let subscriber = TestSubscriber<Int>(demand: .unlimited)
                writer.writePublisher(
                    updates: { [insert] db in
                        _ = try insert(db)
                        throw Failure()
                    },
                    thenRead: { db, _ in
                        reads.append(1)
                        return try countRowsOfT(db)
                    }
                )
                .subscribe(subscriber)
                XCTAssertEqual(subscriber.completions.wait(count: 1), ["Failure()"])
                XCTAssertEqual(reads.all.count, 0)
                XCTAssertEqual(try writer.read(countRowsOfT), 0)
            }
        }

        func testAccessesOfAClosedDatabaseFail() throws {
            try onEachAdapterWriter { writer in
                try writer.close()
                let reading = TestSubscriber<Int>(demand: .unlimited)
                writer.readPublisher(value: countRowsOfT).subscribe(reading)
                XCTAssertEqual(reading.completions.wait(count: 1).count, 1)
                let writing = TestSubscriber<Int>(demand: .unlimited)
                writer.writePublisher(updates: insert).subscribe(writing)
                XCTAssertEqual(writing.completions.wait(count: 1).count, 1)
                XCTAssertEqual(reading.values.all + writing.values.all, [])
            }
        }

        // MARK: - Migrations

        func testAMigrationPublishesOneValueAndFinishes() throws {
            try onEachAdapterWriter { writer in
                var migrator = DatabaseMigrator()
                migrator.registerMigration("insert") { [insert] db in _ = try insert(db) }
                let publisher = migrator.migratePublisher(writer)
                for _ in 0..<2 {
                    let subscriber = TestSubscriber<Void>(demand: .unlimited)
                    publisher.subscribe(subscriber)
                    XCTAssertEqual(subscriber.completions.wait(count: 1), ["finished"])
                    XCTAssertEqual(subscriber.values.all.count, 1)
                    XCTAssertEqual(try writer.read(countRowsOfT), 1)
                }
            }
        }

        func testAFailedMigrationFailsThePublisher() throws {
            try onEachAdapterWriter { writer in
                var migrator = DatabaseMigrator()
                migrator.registerMigration("fail") { _ in throw Failure() }
                let subscriber = TestSubscriber<Void>(demand: .unlimited)
                migrator.migratePublisher(writer).subscribe(subscriber)
                XCTAssertEqual(subscriber.completions.wait(count: 1), ["Failure()"])
                XCTAssertEqual(subscriber.values.all.count, 0)
            }
        }
    }
#endif
