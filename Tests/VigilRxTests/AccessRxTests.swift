#if RxSwift
    import Dispatch
    import VigilRx
    import XCTest
    @preconcurrency import RxSwift

    final class AccessRxTests: XCTestCase {
        private let insert: @Sendable (Database) throws -> Int = { db in
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            return try countRowsOfT(db)
        }

        private struct Failure: Error {}

        /// Subscribes, and returns the value or error.
        private func result<Value: Sendable>(_ single: Single<Value>) -> String {
            let results = Recorder<String>()
            let subscription = single.subscribe(
                onSuccess: { value in
                    dispatchPrecondition(condition: .onQueue(.main))
                    results.append("\(value)")
                },
                onFailure: { error in
                    dispatchPrecondition(condition: .onQueue(.main))
                    results.append("\(error)")
                })
            XCTAssertEqual(results.all, [], "results arrive asynchronously")
            defer { subscription.dispose() }
            return results.wait(count: 1)[0]
        }

        func testReadsAndWritesEmitOneResultOnTheMainQueue() throws {
            try onEachAdapterWriter { writer in
                XCTAssertEqual(result(writer.rx.read(value: countRowsOfT)), "0")
                XCTAssertEqual(result(writer.rx.write(updates: insert)), "1")
                XCTAssertEqual(result(writer.rx.writeAndReturn(updates: insert)), "2")
                XCTAssertEqual(
                    result(
                        writer.rx.write(
                            updates: insert, thenRead: { db, count in [count, try countRowsOfT(db)] })),
                    "[3, 3]")
            }
        }

        func testAWriteCanBeACompletable() throws {
            try onEachAdapterWriter { writer in
                let ends = Recorder<Int>()
                let subscription = writer.rx.write(updates: insert).asCompletable().subscribe(
                    onCompleted: { ends.append(1) }, onError: { XCTFail("\($0)") })
                ends.wait(count: 1)
                XCTAssertEqual(try writer.read(countRowsOfT), 1)
                subscription.dispose()
            }
        }

        func testErrorsFailTheSingleAndRollBack() throws {
            try onEachAdapterWriter { writer in
                XCTAssertTrue(
                    result(writer.rx.read { db in try Row.fetchAll(db, sql: "x") }).contains("syntax error"))
                XCTAssertTrue(result(writer.rx.read(value: insert)).contains("readonly"))
                XCTAssertEqual(
                    result(
                        writer.rx.write { [insert] db -> Int in
                            _ = try insert(db)
                            throw Failure()
                        }), "Failure()")
                XCTAssertEqual(try writer.read(countRowsOfT), 0)
            }
        }

        func testEachSubscriptionIsAnAccessOfItsOwn() throws {
            try onEachAdapterWriter { writer in
                let single = writer.rx.write(updates: insert)
                XCTAssertEqual(try writer.read(countRowsOfT), 0)
                for count in 1...3 { XCTAssertEqual(result(single), "\(count)") }
            }
        }

        func testResultsArriveOnTheGivenScheduler() throws {
            try onEachAdapterWriter { writer in
                let queue = DispatchQueue(label: "results")
                let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "results")
                let values = Recorder<Int>()
                let subscription = writer.rx.read(observeOn: scheduler, value: countRowsOfT)
                    .subscribe(onSuccess: { value in
                        dispatchPrecondition(condition: .onQueue(queue))
                        values.append(value)
                    })
                XCTAssertEqual(values.wait(count: 1), [0])
                subscription.dispose()
            }
        }

        func testADisposedWriteTakesPlaceAndEmitsNothing() throws {
            try onEachAdapterWriter { writer in
                let values = Recorder<Int>()
                writer.rx.write(updates: insert).subscribe(onSuccess: { values.append($0) }).dispose()
                XCTAssertEqual(try writer.writeWithoutTransaction(countRowsOfT), 1)
                drainMainQueue()
                XCTAssertEqual(values.all, [])
            }
        }

        func testTheExtensionsExistOnEachKindOfDatabase() throws {
            func readGeneric(_ reader: some DatabaseReader) -> String {
                result(reader.rx.read(value: countRowsOfT))
            }
            func writeGeneric(_ writer: some DatabaseWriter) -> String {
                result(writer.rx.write(updates: insert))
            }
            try onEachAdapterWriter { writer in
                XCTAssertEqual(readGeneric(writer), "0")
                XCTAssertEqual(writeGeneric(writer), "1")
                if let dbQueue = writer as? DatabaseQueue {
                    XCTAssertEqual(result(dbQueue.rx.read(value: countRowsOfT)), "1")
                    XCTAssertEqual(result(dbQueue.rx.write(updates: insert)), "2")
                }
                if let dbPool = writer as? DatabasePool {
                    XCTAssertEqual(result(try dbPool.makeSnapshot().rx.read(value: countRowsOfT)), "1")
                    XCTAssertEqual(result(dbPool.rx.write(updates: insert)), "2")
                }
            }
        }
    }
#endif
