#if RxSwift
    import Dispatch
    import VigilRx
    import XCTest
    @preconcurrency import RxSwift

    final class ObservationRxTests: XCTestCase {
        func testByDefaultValuesArriveOnTheMainQueueAsynchronously() throws {
            try onEachAdapterWriter { writer in
                let values = Recorder<Int>()
                let subscription = CountedRows().observation.rx.observe(in: writer).subscribe(
                    onNext: { value in
                        dispatchPrecondition(condition: .onQueue(.main))
                        values.append(value)
                    },
                    onError: { XCTFail("\($0)") })
                XCTAssertEqual(values.all, [])
                if writer is DatabasePool { values.wait(last: 0) }
                try writer.insertIntoT()
                try writer.insertIntoT(2)
                assertCommits(values.wait(last: 3), are: [0, 1, 3], in: writer)
                subscription.dispose()
                XCTAssertEqual(writer.observations.count, 0)
            }
        }

        func testWithImmediateTheFirstValueArrivesBeforeSubscribeReturns() throws {
            try onEachAdapterWriter { writer in
                let values = Recorder<Int>()
                let subscription = CountedRows().observation.rx.observe(in: writer, scheduling: .immediate)
                    .subscribe(onNext: { values.append($0) })
                XCTAssertEqual(values.all, [0])
                subscription.dispose()
            }
        }

        func testTheFirstValueIsSynchronousOnTheMainQueueWithoutAScheduler() throws {
            try onEachAdapterWriter { writer in
                let observation = CountedRows().observation
                let (onMain, elsewhere, scheduled) = (Recorder<Int>(), Recorder<Int>(), Recorder<Int>())
                let bag = DisposeBag()
                observation.rx.observe(in: writer, observeOn: nil)
                    .subscribe(onNext: { onMain.append($0) }).disposed(by: bag)
                XCTAssertEqual(onMain.all, [0])
                let observable = observation.rx.observe(in: writer, observeOn: nil)
                let isSubscribed = expectation(description: "subscribed")
                DispatchQueue.global().async {
                    observable.subscribe(onNext: { value in
                        dispatchPrecondition(condition: .onQueue(.main))
                        elsewhere.append(value)
                    }).disposed(by: bag)
                    isSubscribed.fulfill()
                }
                wait(for: [isSubscribed], timeout: 60)
                elsewhere.wait(last: 0)
                observation.rx.observe(in: writer, observeOn: MainScheduler.instance)
                    .subscribe(onNext: { value in
                        dispatchPrecondition(condition: .onQueue(.main))
                        scheduled.append(value)
                    }).disposed(by: bag)
                XCTAssertEqual(scheduled.all, [])
                scheduled.wait(last: 0)
            }
        }

        func testEachSchedulerKeepsTheOrderOfTheValuesAndAllowsWrites() throws {
            try onEachAdapterWriter { writer in
                let schedulers: [any ImmediateSchedulerType] = [
                    MainScheduler.instance, MainScheduler.asyncInstance, ConcurrentMainScheduler.instance,
                    SerialDispatchQueueScheduler(qos: .default),
                    ConcurrentDispatchQueueScheduler(qos: .default),
                    CurrentThreadScheduler.instance,
                ]
                for scheduler in schedulers {
                    let first = try writer.read(countRowsOfT)
                    let values = Recorder<Int>()
                    let subscription = CountedRows().observation.rx.observe(in: writer, observeOn: scheduler)
                        .subscribe(onNext: { value in
                            values.append(value)
                            if value < first + 3 { writer.insertIntoTOrFail() }
                        })
                    XCTAssertEqual(
                        values.wait(last: first + 3), Array(first...first + 3), "\(type(of: scheduler))")
                    subscription.dispose()
                }
            }
        }

        func testStartImmediatelyFalseSkipsTheInitialValue() throws {
            try onEachAdapterWriter { writer in
                let values = Recorder<Int>()
                let subscription = CountedRows().observation.rx
                    .observe(in: writer, startImmediately: false, observeOn: nil)
                    .subscribe(onNext: { values.append($0) })
                XCTAssertEqual(values.all, [])
                try writer.insertIntoT()
                XCTAssertEqual(values.wait(count: 1), [1])
                subscription.dispose()
            }
        }

        func testAnObservationThatSkipsItsInitialValueDoesNotEmitIt() throws {
            try onEachAdapterWriter { writer in
                let values = Recorder<Int>()
                let subscription = CountedRows().observation.skippingInitialValue().rx
                    .observe(in: writer, observeOn: nil)
                    .subscribe(onNext: { values.append($0) })
                XCTAssertEqual(values.all, [])
                try writer.insertIntoT()
                XCTAssertEqual(values.wait(count: 1), [1])
                subscription.dispose()
            }
        }

        func testAnErrorFailsTheObservableAndANewSubscriptionStartsAgain() throws {
            try onEachAdapterWriter { writer in
                let (values, errors) = (Recorder<Int>(), Recorder<String>())
                let observable = CountedRows().observation.rx.observe(in: writer)
                let bag = DisposeBag()
                observable.subscribe(onNext: { values.append($0) }, onError: { errors.append("\($0)") })
                    .disposed(by: bag)
                values.wait(last: 0)
                try writer.writeWithoutTransaction { db in try db.execute(sql: "ALTER TABLE t RENAME TO u") }
                XCTAssertTrue(errors.wait(count: 1)[0].contains("no such table: t"))
                try writer.writeWithoutTransaction { db in try db.execute(sql: "ALTER TABLE u RENAME TO t") }
                observable.subscribe(onNext: { values.append($0) }).disposed(by: bag)
                XCTAssertEqual(values.wait(count: 2), [0, 0])
            }
        }

        func testDisposingInsideTheCallbackEndsTheObservation() throws {
            try onEachAdapterWriter { writer in
                for scheduling in [true, false] {
                    let values = Recorder<Int>()
                    let observation = CountedRows().observation
                    let first = try writer.read(countRowsOfT)
                    let observable =
                        scheduling
                        ? observation.rx.observe(in: writer, scheduling: .immediate)
                        : observation.rx.observe(in: writer)
                    // `take(1)` disposes of the subscription inside the callback.
                    let subscription = observable.take(1).subscribe(onNext: { values.append($0) })
                    values.wait(count: 1)
                    XCTAssertEqual(writer.observations.count, 0)
                    try writer.insertIntoT()
                    drainMainQueue()
                    XCTAssertEqual(values.all, [first])
                    subscription.dispose()
                }
            }
        }

        func testNothingIsObservedBeforeASubscription() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let observable = rows.observation.rx.observe(in: writer)
                XCTAssertEqual(rows.starts.all.count, 0)
                let subscriptions = (0..<2).map { _ in observable.subscribe() }
                XCTAssertEqual(rows.starts.all.count, 2)
                for subscription in subscriptions { subscription.dispose() }
            }
        }

        func testSubscribersOfASharedObservationShareOneFetch() throws {
            try onEachAdapterWriter { writer in
                let rows = CountedRows()
                let observable = rows.observation.shared(in: writer, scheduling: .immediate).rx.observe()
                let received = [Recorder<Int>(), Recorder<Int>()]
                let subscriptions = received.map { values in
                    observable.subscribe(onNext: { values.append($0) })
                }
                XCTAssertEqual(received.map(\.all), [[0], [0]])
                try writer.insertIntoT()
                for values in received { XCTAssertEqual(values.wait(last: 1), [0, 1]) }
                XCTAssertEqual(rows.fetches.all.count, 2)
                for subscription in subscriptions { subscription.dispose() }
                XCTAssertEqual(writer.observations.count, 0)
            }
        }

        func testChangesOfARegionArriveInsideTheAccessThatCommitted() throws {
            try onEachAdapterWriter { writer in
                let observation = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))
                let (changes, withInitial) = (Recorder<Int>(), Recorder<Int>())
                let bag = DisposeBag()
                observation.rx.changes(in: writer).map(countRowsOfT)
                    .subscribe(onNext: { changes.append($0) }).disposed(by: bag)
                observation.rx.changes(in: writer, startImmediately: true).map(countRowsOfT)
                    .subscribe(onNext: { withInitial.append($0) }).disposed(by: bag)
                XCTAssertEqual(withInitial.all, [0])
                try writer.insertIntoT()
                try writer.insertIntoT(2)
                XCTAssertEqual(changes.all, [1, 3])
                XCTAssertEqual(withInitial.all, [0, 1, 3])
            }
        }

        func testAnObservationThatStartsImmediatelyIsSynchronousOnTheMainQueue() throws {
            try onEachAdapterWriter { writer in
                let (immediate, changes) = (Recorder<Int>(), Recorder<Int>())
                let bag = DisposeBag()
                let observation = CountedRows().observation
                observation.rx.observe(in: writer, startImmediately: true)
                    .subscribe(onNext: { immediate.append($0) }).disposed(by: bag)
                XCTAssertEqual(immediate.all, [0])
                observation.rx.observe(in: writer, startImmediately: false)
                    .subscribe(onNext: { changes.append($0) }).disposed(by: bag)
                try writer.insertIntoT()
                XCTAssertEqual(changes.wait(last: 1), [1])
                withExtendedLifetime(bag) {}
            }
        }
    }
#endif
