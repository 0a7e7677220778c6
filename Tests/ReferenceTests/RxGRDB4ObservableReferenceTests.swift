#if RxSwift
    import Dispatch
    import VigilRx
    import VigilTestSupport
    import XCTest
    @preconcurrency import RxSwift

    /// The samples of the documentation of RxGRDB 4.0 that contain observables, in their order.
    final class RxGRDB4ObservableReferenceTests: ReferenceTestCase {
        // MARK: - Usage

        func testASingleReadsPlayers() throws {
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in try Player.insert("Arthur", into: db) }
                let printed = Recorder<String>()
                let players: Single<[Player]> = dbQueue.rx.read { db in
                    try Player.fetchAll(db)
                }
                let subscription = players.subscribe(
                    onSuccess: { (players: [Player]) in
                        dispatchPrecondition(condition: .onQueue(.main))
                        printed.append("Players: \(players.map(\.name))")
                    },
                    onFailure: { XCTFail("\($0)") })
                XCTAssertEqual(printed.wait(count: 1), ["Players: [\"Arthur\"]"])
                subscription.dispose()
            }
        }

        func testSinglesWrite() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let bag = DisposeBag()
                let write: Single<Void> = dbQueue.rx.write { db in
                    try Player(name: "Arthur").insert(db)
                }
                write.subscribe(
                    onSuccess: { _ in printed.append("Updates completed") },
                    onFailure: { XCTFail("\($0)") }
                ).disposed(by: bag)
                printed.wait(count: 1)

                let newPlayerCount: Single<Int> = dbQueue.rx.write { db -> Int in
                    try Player(name: "Barbara").insert(db)
                    return try Player.fetchCount(db)
                }
                newPlayerCount.subscribe(
                    onSuccess: { (playerCount: Int) in printed.append("New players count: \(playerCount)") },
                    onFailure: { XCTFail("\($0)") }
                ).disposed(by: bag)
                XCTAssertEqual(printed.wait(count: 2), ["Updates completed", "New players count: 2"])
            }
        }

        func testObservablesOfValuesEmitFreshValues() throws {
            try onQueueAndPool { dbQueue in
                let (players, maxima) = (Recorder<[String]>(), Recorder<String>())
                let bag = DisposeBag()
                ValueObservation
                    .tracking { db in try Player.fetchAll(db) }
                    .rx.observe(in: dbQueue)
                    .subscribe(
                        onNext: { (fresh: [Player]) in players.append(fresh.map(\.name)) },
                        onError: { XCTFail("\($0)") }
                    ).disposed(by: bag)
                ValueObservation
                    .tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") }
                    .rx.observe(in: dbQueue)
                    .subscribe(
                        onNext: { (maxScore: Int?) in
                            maxima.append("Fresh maximum score: \(maxScore.map(String.init) ?? "nil")")
                        },
                        onError: { XCTFail("\($0)") }
                    ).disposed(by: bag)
                XCTAssertEqual(players.wait(count: 1), [[]])
                XCTAssertEqual(maxima.wait(count: 1), ["Fresh maximum score: nil"])
                try dbQueue.write { db in try Player(name: "Arthur", score: 12).insert(db) }
                XCTAssertEqual(players.wait(count: 2), [[], ["Arthur"]])
                XCTAssertEqual(maxima.wait(count: 2).last, "Fresh maximum score: 12")
            }
        }

        func testObservablesOfRegionsEmitImpactfulTransactions() throws {
            try onQueueAndPool { dbQueue in
                let (players, scores) = (Recorder<Int>(), Recorder<Int>())
                let bag = DisposeBag()
                DatabaseRegionObservation
                    .tracking(Player.all())
                    .rx.changes(in: dbQueue)
                    .map { (db: Database) in try Player.fetchCount(db) }
                    .subscribe(onNext: { players.append($0) }, onError: { XCTFail("\($0)") })
                    .disposed(by: bag)
                DatabaseRegionObservation
                    .tracking(SQLRequest<Int>(sql: "SELECT MAX(score) FROM player"))
                    .rx.changes(in: dbQueue)
                    .map { (db: Database) in try Player.fetchCount(db) }
                    .subscribe(onNext: { scores.append($0) }, onError: { XCTFail("\($0)") })
                    .disposed(by: bag)
                try dbQueue.write { db in try Player(name: "Arthur", score: 12).insert(db) }
                try dbQueue.write { db in try db.execute(sql: "UPDATE player SET name = 'Arthur I'") }
                try dbQueue.write { db in _ = try Player.deleteAll(db) }
                XCTAssertEqual(players.all, [1, 1, 0])
                XCTAssertEqual(scores.all, [1, 0])
            }
        }

        // MARK: - Asynchronous accesses

        func testReadsThatModifyTheDatabaseFail() throws {
            try onQueueAndPool { dbQueue in
                let errors = Recorder<String>()
                let subscription = dbQueue.rx.read { db in try Player.insert("Arthur", into: db) }
                    .subscribe(
                        onSuccess: { XCTFail("no error") }, onFailure: { errors.append("\($0)") })
                XCTAssertTrue(errors.wait(count: 1)[0].contains("attempt to write a readonly database"))
                subscription.dispose()
            }
        }

        func testAWriteCanBeACompletable() throws {
            try onQueueAndPool { dbQueue in
                let ends = Recorder<String>()
                let write: Completable = dbQueue.rx
                    .write { db in try Player(name: "Arthur").insert(db) }
                    .asCompletable()
                XCTAssertEqual(
                    try dbQueue.read(Player.fetchCount), 0, "nothing is written before a subscription")
                let subscription = write.subscribe(
                    onCompleted: { ends.append("completed") }, onError: { XCTFail("\($0)") })
                XCTAssertEqual(ends.wait(count: 1), ["completed"])
                XCTAssertEqual(try dbQueue.read(Player.fetchCount), 1)
                subscription.dispose()
            }
        }

        func testTheReadAfterAWriteSeesItsStateAndBlocksNoOtherWriteOfAPool() throws {
            try onQueueAndPool { dbQueue in
                let newPlayerCount: Single<Int> = dbQueue.rx.write(
                    updates: { db in try Player.insert("Arthur", into: db) },
                    thenRead: { db, _ in
                        if dbQueue is DatabasePool {
                            try dbQueue.writeNow { db in try Player.insert("Barbara", into: db) }
                        }
                        return try Player.fetchCount(db)
                    })
                let counts = Recorder<Int>()
                let subscription = newPlayerCount.subscribe(onSuccess: { counts.append($0) })
                XCTAssertEqual(counts.wait(count: 1), [1])
                XCTAssertEqual(try dbQueue.read(Player.fetchCount), dbQueue is DatabasePool ? 2 : 1)
                subscription.dispose()
            }
        }

        func testAccessesStartOnEverySubscriptionFromAnyThread() throws {
            try onQueueAndPool { dbQueue in
                let newPlayerCount = dbQueue.rx.write { db -> Int in
                    try Player.insert("Arthur", into: db)
                    return try Player.fetchCount(db)
                }
                let counts = Recorder<Int>()
                let bag = DisposeBag()
                for count in 1...3 {
                    DispatchQueue.global().async {
                        newPlayerCount.subscribe(onSuccess: { value in
                            dispatchPrecondition(condition: .onQueue(.main))
                            counts.append(value)
                        }).disposed(by: bag)
                    }
                    counts.wait(count: count)
                }
                XCTAssertEqual(counts.all, [1, 2, 3])
            }
        }

        // MARK: - Observation

        func testWithImmediateFreshPlayersArePrintedAtOnce() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let observation = ValueObservation.tracking { db in
                    try Player.fetchAll(db)
                }
                let disposable = observation.rx
                    .observe(in: dbQueue, scheduling: .immediate)
                    .subscribe(
                        onNext: { (players: [Player]) in
                            printed.append("fresh players: \(players.map(\.name))")
                        },
                        onError: { XCTFail("\($0)") })
                XCTAssertEqual(printed.all, ["fresh players: []"])
                try dbQueue.write { db in try Player.insert("Arthur", into: db) }
                XCTAssertEqual(printed.all.count, 1, "changes are notified asynchronously")
                XCTAssertEqual(printed.wait(count: 2).last, "fresh players: [\"Arthur\"]")
                disposable.dispose()
            }
        }

        func testNoValueIsEmittedAfterTheDatabaseIsClosed() throws {
            try onQueueAndPool { dbQueue in
                let events = Recorder<String>()
                let disposable = ValueObservation.tracking(Player.fetchCount)
                    .rx.observe(in: dbQueue)
                    .subscribe(
                        onNext: { events.append("\($0)") }, onError: { events.append("\($0)") },
                        onCompleted: { events.append("completed") })
                events.wait(count: 1)
                try dbQueue.close()
                let drained = Recorder<Bool>()
                DispatchQueue.main.async { drained.append(true) }
                drained.wait(count: 1)
                XCTAssertEqual(events.all, ["0"])
                disposable.dispose()
            }
        }

        func testTheHallOfFameIsObservedAsOneValue() throws {
            struct HallOfFame: Equatable, Sendable {
                var playerCount: Int
                var bestPlayers: [String]
            }
            try onQueueAndPool { dbQueue in
                let values = Recorder<HallOfFame>()
                let hallOfFameObservable =
                    ValueObservation
                    .tracking { db -> HallOfFame in
                        let playerCount = try Player.fetchCount(db)
                        let bestPlayers = try Player.limit(2).order(\.score.desc).fetchAll(db)
                        return HallOfFame(playerCount: playerCount, bestPlayers: bestPlayers.map(\.name))
                    }
                    .rx.observe(in: dbQueue)
                let disposable = hallOfFameObservable.subscribe(onNext: { values.append($0) })
                values.wait(count: 1)
                try dbQueue.write { db in
                    for (score, name) in ["Arthur", "Barbara", "Craig"].enumerated() {
                        try Player(name: name, score: score).insert(db)
                    }
                }
                XCTAssertEqual(
                    values.wait(count: 2),
                    [
                        HallOfFame(playerCount: 0, bestPlayers: []),
                        HallOfFame(playerCount: 3, bestPlayers: ["Craig", "Barbara"]),
                    ])
                disposable.dispose()
            }
        }

        func testTransactionsThatModifyPlayersArePrinted() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let request = Player.all()
                let disposable =
                    DatabaseRegionObservation
                    .tracking(request)
                    .rx.changes(in: dbQueue)
                    .subscribe(
                        onNext: { (db: Database) in
                            printed.append("Players have changed.")
                        },
                        onError: { XCTFail("\($0)") })

                try dbQueue.write { db in
                    try Player(name: "Arthur").insert(db)
                    try Player(name: "Barbara").insert(db)
                }
                XCTAssertEqual(printed.all, ["Players have changed."])

                try dbQueue.write { db in
                    _ = try Player.deleteAll(db)
                }
                XCTAssertEqual(printed.all, ["Players have changed.", "Players have changed."])
                disposable.dispose()
            }
        }
    }
#endif
