#if RxSwift
    import Dispatch
    import Foundation
    import VigilRx
    import VigilTestSupport
    import XCTest
    @preconcurrency import RxSwift

    /// The samples of the documentation of RxGRDB 0.12 that contain observables, in their order.
    final class RxGRDB012ObservableReferenceTests: ReferenceTestCase {
        // MARK: - Usage

        @available(*, deprecated, message: "tests deprecated names")
        func testBestPlayersAndOnePlayerAreObserved() throws {
            try onQueueAndPool { dbQueue in
                let (best, one) = (Recorder<[Int]>(), Recorder<String>())
                let bag = DisposeBag()
                Player.order(\.score.desc).limit(10)
                    .rx
                    .fetchAll(in: dbQueue)
                    .subscribe(onNext: { (players: [Player]) in best.append(players.map(\.score)) })
                    .disposed(by: bag)
                Player.filter(key: 1)
                    .rx
                    .fetchOne(in: dbQueue)
                    .subscribe(onNext: { (player: Player?) in one.append(player?.name ?? "nil") })
                    .disposed(by: bag)
                XCTAssertEqual(best.all, [[]])
                XCTAssertEqual(one.all, ["nil"])
                try dbQueue.write { db in
                    for score in 1...12 { try Player(name: "\(score)", score: score).insert(db) }
                }
                XCTAssertEqual(best.wait(count: 2).last, Array((3...12).reversed()))
                XCTAssertEqual(one.wait(count: 2), ["nil", "1"])
            }
        }

        // MARK: - Values of a request

        @available(*, deprecated, message: "tests deprecated names")
        func testNumbersOfPlayersArePrinted() throws {
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in try Player.insert("Zoe", "Yann", into: db) }
                let (printed, distinct) = (Recorder<String>(), Recorder<Int>())
                let bag = DisposeBag()
                let request = Player.all()
                request.rx.fetchCount(in: dbQueue)
                    .subscribe(onNext: { (count: Int) in printed.append("Number of players: \(count)") })
                    .disposed(by: bag)
                request.rx.fetchCount(in: dbQueue).distinctUntilChanged()
                    .subscribe(onNext: { (count: Int) in distinct.append(count) })
                    .disposed(by: bag)

                try dbQueue.write { db in
                    _ = try Player.deleteAll(db)
                    try Player(name: "Arthur").insert(db)
                }
                XCTAssertEqual(printed.wait(count: 2), ["Number of players: 2", "Number of players: 1"])
                try dbQueue.write { db in
                    _ = try Player.deleteAll(db)
                    try Player(name: "Barbara").insert(db)
                }
                XCTAssertEqual(printed.wait(count: 3).last, "Number of players: 1", "identical values repeat")
                try dbQueue.write { db in _ = try Player.deleteAll(db) }
                XCTAssertEqual(distinct.wait { $0.last == 0 }, [2, 1, 0])
            }
        }

        @available(*, deprecated, message: "tests deprecated names")
        func testDistinctValuesAreComparedAsRawDatabaseValues() throws {
            /// A record that is not `Equatable`.
            struct Place: FetchableRecord, TableRecord, Sendable {
                static let databaseTableName = "player"
                let name: String
                init(row: Row) { name = row["name"] }
            }
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in try Player.insert("Zoe", into: db) }
                let (all, one) = (Recorder<[String]>(), Recorder<String?>())
                let bag = DisposeBag()
                Place.order(Column("name")).rx.fetchAll(in: dbQueue, distinctUntilChanged: true)
                    .subscribe(onNext: { (places: [Place]) in all.append(places.map(\.name)) })
                    .disposed(by: bag)
                Place.order(Column("name")).rx.fetchOne(in: dbQueue, distinctUntilChanged: true)
                    .subscribe(onNext: { (place: Place?) in one.append(place?.name) })
                    .disposed(by: bag)
                try dbQueue.write { db in
                    try db.execute(sql: "UPDATE player SET name = 'Yann'")
                    try db.execute(sql: "UPDATE player SET name = 'Zoe'")
                }
                try dbQueue.write { db in try Player.insert("Arthur", into: db) }
                XCTAssertEqual(all.wait(count: 2), [["Zoe"], ["Arthur", "Zoe"]])
                XCTAssertEqual(one.wait(count: 2), ["Zoe", "Arthur"])
            }
        }

        @available(*, deprecated, message: "tests deprecated names")
        func testValuesOfAnyTypeArePrinted() throws {
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE link (url TEXT, email TEXT);
                            INSERT INTO link VALUES ('https://example.com', NULL)
                            """)
                }
                let printed = Recorder<String>()
                let bag = DisposeBag()
                SQLRequest<URL>("SELECT url FROM link").rx.fetchAll(in: dbQueue)
                    .subscribe(onNext: { (urls: [URL]) in printed.append("\(urls.map(\.absoluteString))") })
                    .disposed(by: bag)
                SQLRequest<String?>("SELECT email FROM link").rx.fetchAll(in: dbQueue)
                    .subscribe(onNext: { (emails: [String?]) in printed.append("\(emails)") })
                    .disposed(by: bag)
                SQLRequest<Int>("SELECT MAX(score) FROM player").rx.fetchOne(in: dbQueue)
                    .subscribe(onNext: { (maxScore: Int?) in printed.append("\(maxScore ?? -1)") })
                    .disposed(by: bag)
                XCTAssertEqual(printed.all, ["[\"https://example.com\"]", "[nil]", "-1"])
            }
        }

        // MARK: - Several requests

        func testChangesOfSeveralRequestsArePrinted() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let bag = DisposeBag()
                let requests: [any DatabaseRegionConvertible] = [Player.all(), Team.all()]
                let texts: [any DatabaseRegionConvertible] = [
                    SQLRequest<Row>("SELECT * FROM player"), SQLRequest<Row>("SELECT * FROM team"),
                ]
                for (index, tracked) in [requests, texts].enumerated() {
                    dbQueue.rx.changes(in: tracked)
                        .subscribe(onNext: { (db: Database) in printed.append("\(index)") })
                        .disposed(by: bag)
                }
                XCTAssertEqual(printed.all, ["0", "1"])
                try dbQueue.write { db in
                    var team = Team(name: "Blue")
                    try team.insert(db)
                    try Player(name: "Arthur", teamId: team.id).insert(db)
                }
                XCTAssertEqual(printed.all.dropFirst(2).sorted(), ["0", "1"])
                try dbQueue.write { db in
                    try db.execute(sql: "DELETE FROM player")
                }
                XCTAssertEqual(printed.all.dropFirst(4).sorted(), ["0", "1"])
            }
        }

        func testPlayersAndTeamsAreGuaranteedToMatch() throws {
            try onQueueAndPool { dbQueue in
                let counts = Recorder<Int>()
                let playersRequest = Player.all()
                let teamsRequest = Team.all()
                let subscription = dbQueue.rx
                    .fetch(from: [playersRequest, teamsRequest]) { db in
                        try (playersRequest.fetchAll(db), teamsRequest.fetchAll(db))
                    }
                    .subscribe(onNext: { (players: [Player], teams: [Team]) in
                        let teamIds = Set(teams.map(\.id))
                        counts.append(
                            players.allSatisfy { teamIds.contains($0.teamId) } ? players.count : -1)
                    })
                XCTAssertEqual(counts.all, [0])
                for number in 1...20 {
                    try dbQueue.write { db in
                        var team = Team(name: "\(number)")
                        try team.insert(db)
                        try Player(name: "Arthur", teamId: team.id).insert(db)
                    }
                }
                XCTAssertFalse(counts.wait { $0.last == 20 }.contains(-1), "players without team")
                subscription.dispose()
            }
        }

        func testATeamAndItsPlayersAreTracked() throws {
            try onQueueAndPool { dbQueue in
                let infos = Recorder<TeamInfo?>()
                let request = TeamInfoRequest(teamId: 1)
                let subscription = dbQueue.rx
                    .fetch(from: [request]) { try request.fetchOne($0) }
                    .subscribe(onNext: { (teamInfo: TeamInfo?) in infos.append(teamInfo) })
                XCTAssertEqual(infos.all, [nil])
                try dbQueue.write { db in
                    var team = Team(name: "Blue")
                    try team.insert(db)
                }
                XCTAssertEqual(infos.wait(count: 2).last??.players, [])
                try dbQueue.write { db in try Player(name: "Barbara", teamId: 2).insert(db) }
                try dbQueue.write { db in try Player(name: "Arthur", teamId: 1).insert(db) }
                XCTAssertEqual(infos.wait(count: 3).last??.players.map(\.name), ["Arthur"])
                subscription.dispose()
            }
        }

        func testChangesOfTheFullDatabaseArePrinted() throws {
            try onQueueAndPool { dbQueue in
                let printed = Recorder<String>()
                let subscription = dbQueue.rx
                    .changes(in: [DatabaseRegion.fullDatabase])
                    .subscribe(onNext: { (db: Database) in printed.append("Database has changed.") })
                try dbQueue.write { db in try Player.insert("Arthur", into: db) }
                try dbQueue.write { db in try db.execute(sql: "INSERT INTO team (name) VALUES ('Blue')") }
                XCTAssertEqual(printed.all, Array(repeating: "Database has changed.", count: 3))
                subscription.dispose()
            }
        }

        // MARK: - Diffs

        private struct Place: Codable, Equatable, FetchableRecord, PersistableRecord {
            var id: Int64
            var name: String
        }

        @available(*, deprecated, message: "tests deprecated names")
        func testAScannerComputesTheDifferencesBetweenResults() throws {
            try onQueueAndPool { dbQueue in
                try dbQueue.write { db in
                    try db.create(table: "place") { t in
                        t.primaryKey("id", .integer)
                        t.column("name", .text)
                    }
                    try Place(id: 1, name: "Arles").insert(db)
                    try Place(id: 2, name: "Brest").insert(db)
                }
                let request = Place.orderByPrimaryKey()
                let scanner = try dbQueue.read { db in
                    try PrimaryKeyDiffScanner(database: db, request: request, initialRecords: [])
                }
                let diffs = Recorder<String>()
                let subscription =
                    request
                    .asRequest(of: Row.self)
                    .rx
                    .fetchAll(in: dbQueue)
                    .scan(scanner) { (scanner, rows) in try scanner.diffed(from: rows) }
                    .subscribe(onNext: { scanner in
                        let changes = [scanner.diff.inserted, scanner.diff.updated, scanner.diff.deleted]
                        diffs.append("\(changes.map { $0.map(\.name) })")
                    })
                XCTAssertEqual(diffs.all, [#"[["Arles", "Brest"], [], []]"#])
                try dbQueue.write { db in
                    try Place(id: 3, name: "Cahors").insert(db)
                    try Place(id: 2, name: "Brive").update(db)
                    _ = try Place.deleteOne(db, key: 1)
                }
                XCTAssertEqual(diffs.wait(count: 2).last, #"[["Cahors"], ["Brive"], ["Arles"]]"#)
                subscription.dispose()
            }
        }

        // MARK: - Scheduling

        @available(*, deprecated, message: "tests deprecated names")
        func testElementsAreEmittedInTheOrderOfTransactions() throws {
            try onQueueAndPool { dbQueue in
                let (changes, values) = (Recorder<Int>(), Recorder<Int>())
                let bag = DisposeBag()
                Player.all().rx.changes(in: dbQueue)
                    .map { (db: Database) in try Player.fetchCount(db) }
                    .subscribe(onNext: { changes.append($0) }).disposed(by: bag)
                Player.all().rx.fetchCount(in: dbQueue)
                    .subscribe(onNext: { values.append($0) }).disposed(by: bag)
                for _ in 1...20 { try dbQueue.write { db in try Player.insert("Arthur", into: db) } }
                XCTAssertEqual(changes.all, Array(0...20))
                let all = values.wait { $0.last == 20 }
                XCTAssertEqual(all, all.sorted())
                XCTAssertEqual(all.first, 0)
            }
        }

        func testSnapshotsOfChangesMatch() throws {
            try onQueueAndPool { dbQueue in
                guard let dbPool = dbQueue as? DatabasePool else { return }
                let counts = Recorder<[Int]>()
                let playersRequest = Player.all()
                let teamsRequest = Team.all()
                let subscription = dbPool.rx
                    .changes(in: [playersRequest, teamsRequest])
                    .map { _ in try dbPool.makeSnapshot() }
                    .map { snapshot in
                        let players = try snapshot.read { db in try playersRequest.fetchAll(db) }
                        let teams = try snapshot.read { db in try teamsRequest.fetchAll(db) }
                        return [players.count, teams.count]
                    }
                    .subscribe(onNext: { counts.append($0) }, onError: { XCTFail("\($0)") })
                try dbPool.write { db in
                    var team = Team(name: "Blue")
                    try team.insert(db)
                    try Player(name: "Arthur", teamId: team.id).insert(db)
                }
                XCTAssertEqual(counts.all, [[0, 0], [1, 1]])
                subscription.dispose()
            }
        }

        @available(*, deprecated, message: "tests deprecated names")
        func testInitialValuesAreSynchronousExactlyOnTheMainQueueWithoutAScheduler() throws {
            try onQueueAndPool { dbQueue in
                let (atOnce, later) = (Recorder<String>(), Recorder<String>())
                let bag = DisposeBag()
                Player.all().rx
                    .fetchAll(in: dbQueue)
                    .subscribe(onNext: { (players: [Player]) in atOnce.append("Players have changed.") })
                    .disposed(by: bag)
                XCTAssertEqual(atOnce.all, ["Players have changed."])
                Player.all().rx
                    .fetchAll(in: dbQueue, scheduler: MainScheduler.instance)
                    .subscribe(onNext: { (players: [Player]) in later.append("Players have changed.") })
                    .disposed(by: bag)
                XCTAssertEqual(later.all, [])
                later.wait(count: 1)
                try dbQueue.write { db in
                    try Player(name: "Arthur").insert(db)
                }
                XCTAssertEqual(atOnce.all.count, 1, "changes are emitted asynchronously")
                atOnce.wait(count: 2)
            }
        }

        @available(*, deprecated, message: "tests deprecated names")
        func testValuesAreConsumedOffTheMainThread() throws {
            try onQueueAndPool { dbQueue in
                let scheduler = SerialDispatchQueueScheduler(qos: .default)
                let counts = [Recorder<Int>(), Recorder<Int>(), Recorder<Int>()]
                let bag = DisposeBag()
                let consume: @Sendable (Int, Int) -> Void = { index, count in
                    dispatchPrecondition(condition: .notOnQueue(.main))
                    counts[index].append(count)
                }
                // The main thread is a relay.
                Player.all().rx
                    .fetchAll(in: dbQueue)
                    .observe(on: scheduler)
                    .subscribe(onNext: { (players: [Player]) in consume(0, players.count) })
                    .disposed(by: bag)
                // The main thread is not involved.
                Player.all().rx
                    .fetchAll(in: dbQueue, scheduler: scheduler)
                    .subscribe(onNext: { (players: [Player]) in consume(1, players.count) })
                    .disposed(by: bag)
                dbQueue.rx
                    .fetch(from: [Player.all()], scheduler: scheduler) { db in try Player.fetchCount(db) }
                    .subscribe(onNext: { (count: Int) in consume(2, count) })
                    .disposed(by: bag)
                for received in counts { XCTAssertEqual(received.wait(count: 1), [0]) }
                try dbQueue.write { db in try Player(name: "Arthur").insert(db) }
                for received in counts { XCTAssertEqual(received.wait(count: 2), [0, 1]) }
            }
        }
    }
#endif
