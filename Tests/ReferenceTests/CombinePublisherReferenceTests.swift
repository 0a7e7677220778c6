#if canImport(Combine) || OpenCombine
    import Dispatch
    import VigilCombine
    import VigilTestSupport
    import XCTest

    #if canImport(Combine)
        import Combine
    #else
        @preconcurrency import OpenCombine
        import OpenCombineDispatch
    #endif

    /// The samples of GRDB's page on Combine that contain publishers, in their order.
    final class CombinePublisherReferenceTests: ReferenceTestCase {
        /// A sink, and the values and the completion that it has received.
        private struct Sink<Output: Sendable> {
            let values = Recorder<Output>()
            /// `finished`, or the error.
            let completions = Recorder<String>()
            let cancellable: AnyCancellable

            init(_ publisher: some Publisher<Output, any Error>) {
                let (values, completions) = (values, completions)
                cancellable = publisher.sink(
                    receiveCompletion: { completion in
                        switch completion {
                        case .finished: completions.append("finished")
                        case .failure(let error): completions.append("\(error)")
                        }
                    },
                    receiveValue: { value in values.append(value) })
            }
        }

        // MARK: - Usage

        func testAPublisherReadsPlayers() throws {
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in try Player.insert("Arthur", into: db) }
                let players: DatabasePublishers.Read<[Player]> = dbQueue.readPublisher { db in
                    try Player.fetchAll(db)
                }
                let sink = Sink(players)
                XCTAssertEqual(sink.completions.wait(count: 1), ["finished"])
                XCTAssertEqual(sink.values.all.map { $0.map(\.name) }, [["Arthur"]])
            }
        }

        func testPublishersWrite() throws {
            try onQueueAndPool { dbQueue in
                let write: DatabasePublishers.Write<Void> = dbQueue.writePublisher { db in
                    try Player(name: "Arthur").insert(db)
                }
                let newPlayerCount: DatabasePublishers.Write<Int> = dbQueue.writePublisher { db -> Int in
                    try Player(name: "Barbara").insert(db)
                    return try Player.fetchCount(db)
                }
                let first = Sink(write)
                XCTAssertEqual(first.completions.wait(count: 1), ["finished"])
                XCTAssertEqual(first.values.all.count, 1)
                let second = Sink(newPlayerCount)
                XCTAssertEqual(second.completions.wait(count: 1), ["finished"])
                XCTAssertEqual(second.values.all, [2])
            }
        }

        func testAPublisherMigrates() throws {
            try onQueueAndPool { dbQueue in
                var migrator = DatabaseMigrator()
                migrator.registerMigration("place") { db in
                    try db.create(table: "place") { t in t.autoIncrementedPrimaryKey("id") }
                }
                let publisher: DatabasePublishers.Migrate = migrator.migratePublisher(dbQueue)
                let sink = Sink(publisher)
                XCTAssertEqual(sink.completions.wait(count: 1), ["finished"])
                XCTAssertTrue(try dbQueue.read { db in try db.tableExists("place") })
            }
        }

        func testPublishersOfObservedValuesPublishFreshValues() throws {
            try onQueueAndPool { dbQueue in
                let players = Sink(
                    ValueObservation
                        .tracking { db in try Player.fetchAll(db) }
                        .publisher(in: dbQueue))
                let maxima = Sink(
                    ValueObservation
                        .tracking { db in try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") }
                        .publisher(in: dbQueue))
                XCTAssertEqual(players.values.wait(count: 1), [[]])
                XCTAssertEqual(maxima.values.wait(count: 1), [nil])
                try dbQueue.write { db in try Player(name: "Arthur", score: 12).insert(db) }
                XCTAssertEqual(players.values.wait(count: 2).last?.map(\.score), [12])
                XCTAssertEqual(maxima.values.wait(count: 2), [nil, 12])
            }
        }

        func testPublishersOfRegionsPublishImpactfulTransactions() throws {
            try onQueueAndPool { dbQueue in
                let countPlayers: (Database) throws -> Int = { db in
                    XCTAssertFalse(db.isInsideTransaction)
                    return try Player.fetchCount(db)
                }
                let players = Sink(
                    DatabaseRegionObservation
                        .tracking(Player.all())
                        .publisher(in: dbQueue)
                        .tryMap(countPlayers))
                let scores = Sink(
                    DatabaseRegionObservation
                        .tracking(SQLRequest<Int>(sql: "SELECT MAX(score) FROM player"))
                        .publisher(in: dbQueue)
                        .tryMap(countPlayers))
                try dbQueue.write { db in try Player(name: "Arthur", score: 12).insert(db) }
                try dbQueue.write { db in try db.execute(sql: "UPDATE player SET name = 'Arthur I'") }
                try dbQueue.write { db in _ = try Player.deleteAll(db) }
                XCTAssertEqual(players.values.all, [1, 1, 0])
                XCTAssertEqual(scores.values.all, [1, 0])
            }
        }

        // MARK: - Asynchronous accesses

        func testReadsThatModifyTheDatabaseFail() throws {
            try onQueueAndPool { dbQueue in
                let sink = Sink(dbQueue.readPublisher { db in try Player.insert("Arthur", into: db) })
                XCTAssertTrue(
                    sink.completions.wait(count: 1)[0].contains("attempt to write a readonly database"))
                XCTAssertEqual(sink.values.all.count, 0)
            }
        }

        func testAccessesStartOnEverySubscriptionFromAnyThread() throws {
            try onQueueAndPool { dbQueue in
                let newPlayerCount = dbQueue.writePublisher { db -> Int in
                    try Player.insert("Arthur", into: db)
                    return try Player.fetchCount(db)
                }
                let counts = Recorder<Int>()
                for count in 1...3 {
                    let cancellables = Recorder<AnyCancellable>()
                    DispatchQueue.global().async {
                        cancellables.append(
                            newPlayerCount.sink(
                                receiveCompletion: { _ in },
                                receiveValue: { value in
                                    dispatchPrecondition(condition: .onQueue(.main))
                                    counts.append(value)
                                }))
                    }
                    counts.wait(count: count)
                    cancellables.wait(count: 1)
                }
                XCTAssertEqual(counts.all, [1, 2, 3])
            }
        }

        func testReadsOfAPoolDoNotWaitForWrites() throws {
            try onQueueAndPool { dbQueue in
                guard dbQueue is DatabasePool else { return }
                try dbQueue.write { db in
                    try Player.insert("Arthur", into: db)
                    let sink = Sink(dbQueue.readPublisher(value: Player.fetchCount))
                    XCTAssertEqual(sink.values.wait(count: 1), [0])
                }
            }
        }

        func testTheReadAfterAWriteSeesItsStateAndBlocksNoOtherWriteOfAPool() throws {
            try onQueueAndPool { dbQueue in
                let newPlayerCount: DatabasePublishers.Write<Int> = dbQueue.writePublisher(
                    updates: { db in try Player.insert("Arthur", into: db) },
                    thenRead: { db, _ in
                        if dbQueue is DatabasePool {
                            try dbQueue.writeNow { db in try Player.insert("Barbara", into: db) }
                        }
                        return try Player.fetchCount(db)
                    })
                let sink = Sink(newPlayerCount)
                XCTAssertEqual(sink.completions.wait(count: 1), ["finished"])
                XCTAssertEqual(sink.values.all, [1])
                XCTAssertEqual(try dbQueue.read(Player.fetchCount), dbQueue is DatabasePool ? 2 : 1)
            }
        }

        // MARK: - Observation

        func testWithImmediateFreshPlayersArePrintedAtOnce() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let observation = ValueObservation.tracking { db in
                    try Player.fetchAll(db)
                }
                let cancellable =
                    observation
                    .publisher(in: dbQueue, scheduling: .immediate)
                    .sink(
                        receiveCompletion: { XCTFail("\($0)") },
                        receiveValue: { (players: [Player]) in
                            printed.append("Fresh players: \(players.map(\.name))")
                        })
                XCTAssertEqual(printed.all, ["Fresh players: []"])
                try dbQueue.write { db in try Player.insert("Arthur", into: db) }
                XCTAssertEqual(printed.all.count, 1, "changes are notified asynchronously")
                XCTAssertEqual(printed.wait(count: 2).last, "Fresh players: [\"Arthur\"]")
                cancellable.cancel()
            }
        }

        func testDuplicatesCanBeRemovedBeforeAndAfterTheyArePublished() throws {
            try onQueueAndPool { dbQueue in
                let maxima = ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") ?? 0
                }
                let sinks = [
                    Sink(maxima.removeDuplicates().publisher(in: dbQueue)),
                    Sink(maxima.publisher(in: dbQueue).removeDuplicates()),
                ]
                for sink in sinks { sink.values.wait(count: 1) }
                for score in [7, 3, 9] {
                    try dbQueue.write { db in try Player(name: "", score: score).insert(db) }
                    for sink in sinks { sink.values.wait { $0.last == max(score, 7) } }
                }
                for sink in sinks { XCTAssertEqual(sink.values.all, [0, 7, 9]) }
            }
        }

        func testPublishersOfSharedObservationsShareOneFetch() throws {
            try onQueueAndPool { dbQueue in
                let fetches = Recorder<Int>()
                let sharedObservation =
                    ValueObservation
                    .tracking { db in try Player.fetchAll(db) }
                    .handleEvents(willFetch: { fetches.append(1) })
                    .shared(in: dbQueue)
                let sinks = (0..<3).map { _ in Sink(sharedObservation.publisher()) }
                for sink in sinks { XCTAssertEqual(sink.values.wait(count: 1), [[]]) }
                try dbQueue.write { db in try Player.insert("Arthur", into: db) }
                for sink in sinks { XCTAssertEqual(sink.values.wait(count: 2).last?.map(\.name), ["Arthur"]) }
                XCTAssertEqual(fetches.all.count, 2)
            }
        }

        func testTransactionsThatModifyPlayersArePrinted() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let request = Player.all()
                let cancellable =
                    DatabaseRegionObservation
                    .tracking(request)
                    .publisher(in: dbQueue)
                    .sink(
                        receiveCompletion: { XCTFail("\($0)") },
                        receiveValue: { (db: Database) in
                            printed.append("Players have changed.")
                        })

                try dbQueue.write { db in
                    try Player(name: "Arthur").insert(db)
                    try Player(name: "Barbara").insert(db)
                }
                XCTAssertEqual(printed.all, ["Players have changed."])

                try dbQueue.write { db in
                    _ = try Player.deleteAll(db)
                }
                XCTAssertEqual(printed.all, ["Players have changed.", "Players have changed."])
                cancellable.cancel()
            }
        }

        // MARK: - Data consistency

        private struct HallOfFame: Sendable {
            // Invariant: bestPlayers.count <= totalPlayerCount
            var totalPlayerCount: Int
            var bestPlayers: [Player]
        }

        func testOnePublisherIsConsistent() throws {
            try onQueueAndPool { dbQueue in
                let hallOfFamePublisher =
                    ValueObservation
                    .tracking { db -> HallOfFame in
                        let totalPlayerCount = try Player.fetchCount(db)
                        let bestPlayers =
                            try Player
                            .order(\.score.desc)
                            .limit(10)
                            .fetchAll(db)
                        return HallOfFame(totalPlayerCount: totalPlayerCount, bestPlayers: bestPlayers)
                    }
                    .publisher(in: dbQueue)
                try assertConsistent(hallOfFamePublisher, in: dbQueue)
            }
        }

        /// The counterpart of the page's sample that combines two publishers, which is consistent.
        func testAPublisherOfAGroupIsConsistent() throws {
            try onQueueAndPool { dbQueue in
                let group = ObservationGroup(
                    ValueObservation.tracking(Player.fetchCount),
                    ValueObservation.tracking(Player.order(\.score.desc).limit(10).fetchAll))
                try assertConsistent(
                    group.observation
                        .map { HallOfFame(totalPlayerCount: $0, bestPlayers: $1) }
                        .publisher(in: dbQueue),
                    in: dbQueue)
            }
        }

        /// Inserts and deletes players, and asserts that each published value holds the invariant.
        private func assertConsistent(
            _ publisher: some Publisher<HallOfFame, any Error>, in writer: any DatabaseWriter
        ) throws {
            let sink = Sink(publisher)
            for round in 1...20 {
                try writer.write { db in
                    for score in 1...3 { try Player(name: "\(round)", score: score).insert(db) }
                }
                try writer.write { db in _ = try Player.deleteAll(db) }
            }
            try writer.write { db in try Player(name: "last", score: 100).insert(db) }
            let values = sink.values.wait { $0.last?.bestPlayers.first?.score == 100 }
            XCTAssertTrue(values.allSatisfy { $0.bestPlayers.count <= $0.totalPlayerCount })
        }
    }
#endif
