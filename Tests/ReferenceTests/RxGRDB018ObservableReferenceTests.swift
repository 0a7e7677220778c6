#if RxSwift
    import Dispatch
    import Foundation
    import VigilRx
    import VigilTestSupport
    import XCTest
    @preconcurrency import RxSwift

    /// The samples of the documentation of RxGRDB 0.18 that contain observables, in their order.
    final class RxGRDB018ObservableReferenceTests: ReferenceTestCase {
        // MARK: - Usage

        func testRequestsAreObserved() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let bag = DisposeBag()
                // The results of a request.
                Player.all().rx
                    .observeAll(in: dbQueue)
                    .subscribe(onNext: { (players: [Player]) in
                        printed.append("Fresh players: \(players.map(\.name))")
                    }).disposed(by: bag)
                // The first result of a request.
                Player.filter(key: 1).rx
                    .observeFirst(in: dbQueue)
                    .subscribe(onNext: { (player: Player?) in
                        printed.append("Fresh player: \(player?.name ?? "nil")")
                    }).disposed(by: bag)
                // Raw SQL requests.
                let request: SQLRequest<Int> = "SELECT MAX(score) FROM player"
                request.rx
                    .observeFirst(in: dbQueue)
                    .subscribe(onNext: { (score: Int?) in
                        printed.append("Fresh maximum score: \(score ?? -1)")
                    }).disposed(by: bag)
                XCTAssertEqual(
                    printed.all, ["Fresh players: []", "Fresh player: nil", "Fresh maximum score: -1"])
                try dbQueue.write { db in try Player(id: 1, name: "Arthur", score: 7).insert(db) }
                XCTAssertEqual(
                    Set(printed.wait(count: 6).dropFirst(3)),
                    ["Fresh players: [\"Arthur\"]", "Fresh player: Arthur", "Fresh maximum score: 7"])
            }
        }

        func testObservablesAccessTheDatabase() throws {
            try onQueueAndPool { dbQueue in
                let received = Recorder<String>()
                let bag = DisposeBag()
                // Here, a single is turned into a completable.
                let write: Completable = dbQueue.rx.write { db in
                    try Player(name: "Arthur").insert(db)
                }.asCompletable()
                write.subscribe(onCompleted: { received.append("completed") }).disposed(by: bag)
                received.wait(count: 1)

                let newPlayerCount: Single<Int> = dbQueue.rx.writeAndReturn { db -> Int in
                    try Player(name: "Barbara").insert(db)
                    return try Player.fetchCount(db)
                }
                newPlayerCount.subscribe(onSuccess: { received.append("\($0)") }).disposed(by: bag)
                received.wait(count: 2)

                let players: Single<[Player]> = dbQueue.rx.read { db in
                    try Player.fetchAll(db)
                }
                players.subscribe(onSuccess: { received.append("\($0.map(\.name))") }).disposed(by: bag)
                XCTAssertEqual(received.wait(count: 3), ["completed", "2", "[\"Arthur\", \"Barbara\"]"])
            }
        }

        func testWritesThatReadAfterwardsEmitTheSameValue() throws {
            try onQueueAndPool { dbQueue in
                let newPlayerCounts: [Single<Int>] = [
                    dbQueue.rx.write(
                        updates: { db in try Player(name: "Arthur").insert(db) },
                        thenRead: { db, _ in try Player.fetchCount(db) }),
                    dbQueue.rx.writeAndReturn { db -> Int in
                        try Player(name: "Arthur").insert(db)
                        return try Player.fetchCount(db)
                    },
                ]
                for newPlayerCount in newPlayerCounts {
                    let counts = Recorder<Int>()
                    let subscription = newPlayerCount.subscribe(onSuccess: { counts.append($0) })
                    XCTAssertEqual(counts.wait(count: 1), [1])
                    subscription.dispose()
                    try dbQueue.write { db in _ = try Player.deleteAll(db) }
                }
            }
        }

        // MARK: - Changes of a request

        func testChangesArePrintedSynchronouslyAndOnSubscription() throws {
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in try Player.insert("Zoe", into: db) }
                let printed = Recorder<String>()
                let request = Player.all()
                let subscription = request.rx.changes(in: dbQueue)
                    .subscribe(onNext: { (db: Database) in
                        printed.append("Players have changed.")
                    })
                XCTAssertEqual(printed.all.count, 1, "the first element is emitted upon subscription")

                try dbQueue.write { db in
                    _ = try Player.deleteAll(db)
                }
                XCTAssertEqual(printed.all.count, 2)

                try dbQueue.write { db in
                    try Player(name: "Arthur").insert(db)
                    try Player(name: "Barbara").insert(db)
                }
                XCTAssertEqual(printed.all.count, 3)
                subscription.dispose()
            }
        }

        func testChangesOfRequestsWrittenAsTextArePrinted() throws {
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in try Player.insert("Zoe", into: db) }
                let printed = Recorder<String>()
                let request: SQLRequest<Row> = "SELECT * FROM player"
                let subscription = request.rx.changes(in: dbQueue, startImmediately: false)
                    .subscribe(onNext: { (db: Database) in
                        printed.append("Players have changed.")
                    })
                try dbQueue.write { db in
                    try db.execute(sql: "DELETE FROM player")
                }
                XCTAssertEqual(printed.all, ["Players have changed."])
                subscription.dispose()
            }
        }

        // MARK: - Values of a request

        func testFreshPlayerCountsArePrinted() throws {
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in try Player.insert("Zoe", "Yann", into: db) }
                let printed = Recorder<String>()
                let request = Player.all()
                let subscription = request.rx.observeCount(in: dbQueue)
                    .subscribe(onNext: { (count: Int) in
                        printed.append("Fresh player count: \(count)")
                    })
                XCTAssertEqual(
                    printed.all, ["Fresh player count: 2"], "on the main queue, without a scheduler")

                try dbQueue.write { db in
                    _ = try Player.deleteAll(db)
                    try Player(name: "Arthur").insert(db)
                }
                XCTAssertEqual(printed.wait(count: 2).last, "Fresh player count: 1")

                // The observable skips consecutive equal values.
                try dbQueue.write { db in
                    _ = try Player.deleteAll(db)
                    try Player(name: "Barbara").insert(db)
                }
                try dbQueue.write { db in try Player(name: "Craig").insert(db) }
                XCTAssertEqual(printed.wait(count: 3).last, "Fresh player count: 2")
                subscription.dispose()
            }
        }

        func testAFreshPlayerIsPrinted() throws {
            try onQueueAndPool { dbQueue in
                let playerId: Int64 = 42
                try dbQueue.write { db in try Player(id: playerId, name: "Arthur", score: 10).insert(db) }
                let scores = Recorder<Int?>()
                let request = Player.filter(key: playerId)
                let subscription = request.rx.observeFirst(in: dbQueue)
                    .subscribe(onNext: { (player: Player?) in
                        scores.append(player?.score)
                    })
                XCTAssertEqual(scores.all, [10])
                try dbQueue.write { db in
                    guard var player = try Player.fetchOne(db, key: playerId) else { return }
                    player.score += 100
                    try player.update(db)
                }
                XCTAssertEqual(scores.wait(count: 2), [10, 110])
                subscription.dispose()
            }
        }

        func testValuesAreNilWithoutRowsAndForNull() throws {
            try onQueueAndPool { dbQueue in
                let requests: [SQLRequest<Int>] = [
                    "SELECT MAX(score) FROM player", "SELECT score FROM player",
                ]
                for request in requests {
                    let scores = Recorder<Int?>()
                    let subscription = request.rx.observeFirst(in: dbQueue)
                        .subscribe(onNext: { (maxScore: Int?) in scores.append(maxScore) })
                    XCTAssertEqual(scores.all, [nil])
                    try dbQueue.write { db in try Player(name: "Arthur", score: 7).insert(db) }
                    XCTAssertEqual(scores.wait(count: 2), [nil, 7])
                    subscription.dispose()
                    try dbQueue.write { db in _ = try Player.deleteAll(db) }
                }
            }
        }

        func testPlayersOfAnyTypeArePrinted() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<[String]>()
                let bag = DisposeBag()
                Player.order(Column("name")).rx.observeAll(in: dbQueue)
                    .subscribe(onNext: { (players: [Player]) in printed.append(players.map { $0.name }) })
                    .disposed(by: bag)
                try dbQueue.write { db in
                    _ = try Player.deleteAll(db)
                    try Player(name: "Barbara").insert(db)
                    try Player(name: "Arthur").insert(db)
                }
                XCTAssertEqual(printed.wait(count: 2), [[], ["Arthur", "Barbara"]])

                try dbQueue.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE link (url TEXT, email TEXT);
                            INSERT INTO link VALUES ('https://example.com', NULL)
                            """)
                }
                let urls: SQLRequest<URL> = "SELECT url FROM link"
                urls.rx.observeAll(in: dbQueue)
                    .subscribe(onNext: { (urls: [URL]) in printed.append(urls.map(\.absoluteString)) })
                    .disposed(by: bag)
                let emails: SQLRequest<String?> = "SELECT email FROM link"
                emails.rx.observeAll(in: dbQueue)
                    .subscribe(onNext: { (emails: [String?]) in printed.append(emails.map { $0 ?? "NULL" }) })
                    .disposed(by: bag)
                XCTAssertEqual(printed.all.suffix(2), [["https://example.com"], ["NULL"]])
            }
        }

        // MARK: - Several requests

        func testChangesOfSeveralRequestsArePrinted() throws {
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in try Player.insert("Zoe", into: db) }
                let printed = Recorder<String>()
                let players = Player.all()
                let teams = Team.all()
                let observation = DatabaseRegionObservation(tracking: players, teams)
                let subscription = observation.rx.changes(in: dbQueue, startImmediately: true)
                    .subscribe(onNext: { (db: Database) in
                        printed.append("Players or teams have changed.")
                    })
                XCTAssertEqual(printed.all.count, 1)
                try dbQueue.write { db in
                    _ = try Player.deleteAll(db)
                }
                XCTAssertEqual(printed.all.count, 2)
                try dbQueue.write { db in
                    var team = Team(name: "Blue")
                    try team.insert(db)
                    try Player(name: "Arthur", teamId: team.id).insert(db)
                }
                XCTAssertEqual(printed.all.count, 3)
                subscription.dispose()
            }
        }

        func testBestPlayersAndTheirNumberArePrinted() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let observation = ValueObservation.tracking(
                    region: Player.all(),
                    fetch: { db -> ([Player], Int) in
                        let players =
                            try Player
                            .order(\.score.desc)
                            .limit(2)
                            .fetchAll(db)
                        let count = try Player.fetchCount(db)
                        return (players, count)
                    })
                let subscription = observation.rx.observe(in: dbQueue, observeOn: nil)
                    .subscribe(onNext: { (players, count) in
                        printed.append("Fresh best players out of \(count): \(players.map(\.name))")
                    })
                XCTAssertEqual(printed.all, ["Fresh best players out of 0: []"])
                try dbQueue.write { db in
                    for (score, name) in ["Arthur", "Barbara", "Craig"].enumerated() {
                        try Player(name: name, score: score).insert(db)
                    }
                }
                XCTAssertEqual(
                    printed.wait(count: 2).last,
                    "Fresh best players out of 3: [\"Craig\", \"Barbara\"]")
                subscription.dispose()
            }
        }

        // MARK: - Scheduling

        func testTheFirstValueIsSynchronousExactlyOnTheMainQueueWithoutAScheduler() throws {
            try onQueueAndPool { dbQueue in
                let bag = DisposeBag()
                let counts = Player.all().rx
                let (onMain, scheduled, elsewhere) = (Recorder<Int>(), Recorder<Int>(), Recorder<Int>())
                counts.observeCount(in: dbQueue)
                    .subscribe(onNext: { onMain.append($0) }).disposed(by: bag)
                XCTAssertEqual(onMain.all, [0])
                for scheduler in [MainScheduler.instance, MainScheduler.asyncInstance] {
                    counts.observeCount(in: dbQueue, observeOn: scheduler)
                        .subscribe(onNext: { count in
                            dispatchPrecondition(condition: .onQueue(.main))
                            scheduled.append(count)
                        }).disposed(by: bag)
                }
                XCTAssertEqual(scheduled.all, [])
                let isSubscribed = DispatchSemaphore(value: 0)
                let observable = counts.observeCount(in: dbQueue)
                DispatchQueue.global().async {
                    observable.subscribe(onNext: { count in
                        dispatchPrecondition(condition: .onQueue(.main))
                        elsewhere.append(count)
                    }).disposed(by: bag)
                    isSubscribed.signal()
                }
                XCTAssertEqual(isSubscribed.wait(timeout: .now() + Self.timeout), .success)
                XCTAssertEqual(elsewhere.all, [], "the main queue is occupied by this test")
                XCTAssertEqual(scheduled.wait(count: 2), [0, 0])
                XCTAssertEqual(elsewhere.wait(count: 1), [0])
            }
        }

        func testChangesAreAlwaysEmittedAsynchronously() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let subscription = Player.all().rx
                    .observeAll(in: dbQueue)
                    .subscribe(onNext: { (players: [Player]) in
                        dispatchPrecondition(condition: .onQueue(.main))
                        printed.append("Players have changed.")
                    })
                XCTAssertEqual(printed.all.count, 1)
                try dbQueue.write { db in
                    try Player(name: "Arthur").insert(db)
                }
                XCTAssertEqual(printed.all.count, 1)
                XCTAssertEqual(printed.wait(count: 2).count, 2)
                subscription.dispose()
            }
        }

        func testFreshValuesAreConsumedOffTheMainQueue() throws {
            try onQueueAndPool { dbQueue in
                let queue = DispatchQueue(label: "values")
                let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "values")
                let counts = Recorder<Int>()
                let subscription = Player.all().rx
                    .observeAll(in: dbQueue, observeOn: scheduler)
                    .subscribe(onNext: { (players: [Player]) in
                        dispatchPrecondition(condition: .notOnQueue(.main))
                        counts.append(players.count)
                    })
                counts.wait(count: 1)
                try dbQueue.write { db in try Player(name: "Arthur").insert(db) }
                XCTAssertEqual(counts.wait(count: 2), [0, 1])
                subscription.dispose()
            }
        }

        func testAChangesObservableBlocksWritesAndNoReadsOfAPool() throws {
            try onQueueAndPool { dbQueue in
                let counts = Recorder<Int>()
                let subscription = Player.all().rx.changes(in: dbQueue, startImmediately: false)
                    .subscribe(onNext: { (db: Database) in
                        guard let pool = dbQueue as? DatabasePool else { return counts.append(1) }
                        let read = DispatchSemaphore(value: 0)
                        pool.asyncRead { db in
                            counts.append((try? Player.fetchCount(db.get())) ?? -1)
                            read.signal()
                        }
                        XCTAssertEqual(read.wait(timeout: .now() + Self.timeout), .success)
                    })
                try dbQueue.write { db in try Player(name: "Arthur").insert(db) }
                XCTAssertEqual(counts.all, [1], "the write returns after the change was observed")
                subscription.dispose()
            }
        }
    }
#endif
