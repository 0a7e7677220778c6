import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilTestSupport
import XCTest

/// The samples of the documentation of RxGRDB 0.12, in their order.
final class RxGRDB012ReferenceTests: ReferenceTestCase {
    /// Starts a region observation whose callback records a line.
    private func start(
        _ observation: DatabaseRegionObservation, in writer: any DatabaseWriter, printing line: String
    ) -> (Recorder<String>, AnyDatabaseCancellable) {
        let printed = Recorder<String>()
        let cancellable = observation.start(
            in: writer, onError: { XCTFail("\($0)") }, onChange: { _ in printed.append(line) })
        return (printed, cancellable)
    }

    // MARK: - Usage

    func testBestPlayersAndOnePlayerAreObserved() throws {
        try onQueueAndPool { writer in
            let best = ValueObservation.trackingAll(Player.order(\.score.desc).limit(10))
            let one = ValueObservation.trackingOne(Player.filter(key: 1))
            let (bestPlayers, first) = start(best, in: writer)
            let (player, second) = start(one, in: writer)
            bestPlayers.wait(count: 1)
            player.wait(count: 1)
            try writer.write { db in
                for score in 1...12 { try Player(name: "\(score)", score: score).insert(db) }
            }
            XCTAssertEqual(
                bestPlayers.wait { $0.last?.count == 10 }.last?.map(\.score), Array((3...12).reversed()))
            XCTAssertEqual(player.wait { $0.last != nil && $0.count > 1 }.last??.name, "1")
            first.cancel()
            second.cancel()
        }
    }

    // MARK: - Changes of a request

    func testChangesOfARequestAreNotifiedOncePerTransaction() throws {
        try onQueueAndPool { writer in
            try writer.write { db in try Player.insert("Zoe", into: db) }
            let regions: [any DatabaseRegionConvertible] = [
                Player.all(), SQLRequest<Row>("SELECT * FROM player"),
            ]
            for region in regions {
                let (printed, cancellable) = start(
                    DatabaseRegionObservation(tracking: region), in: writer,
                    printing: "Players have changed.")
                try writer.write { db in _ = try Player.deleteAll(db) }
                XCTAssertEqual(printed.all, ["Players have changed."])
                try writer.write { db in try Player.insert("Arthur", "Barbara", into: db) }
                XCTAssertEqual(printed.all.count, 2)
                try writer.write { db in try db.execute(sql: "INSERT INTO team (name) VALUES ('Blue')") }
                XCTAssertEqual(printed.all.count, 2)
                cancellable.cancel()
            }
        }
    }

    // MARK: - Values of a request

    func testCountsAreObserved() throws {
        try onQueueAndPool { writer in
            try writer.write { db in try Player.insert("Zoe", "Yann", into: db) }
            let (counts, cancellable) = start(ValueObservation.trackingCount(Player.all()), in: writer)
            counts.wait(count: 1)
            try writer.write { db in
                _ = try Player.deleteAll(db)
                try Player.insert("Arthur", into: db)
            }
            XCTAssertEqual(counts.wait(count: 2), [2, 1])
            cancellable.cancel()
        }
    }

    func testFirstResultIsObserved() throws {
        try onQueueAndPool { writer in
            let playerId: Int64 = 42
            try writer.write { db in try Player(id: playerId, name: "Arthur", score: 10).insert(db) }
            let (players, cancellable) = start(
                ValueObservation.trackingOne(Player.filter(key: playerId)), in: writer)
            players.wait(count: 1)
            try writer.write { db in
                guard var player = try Player.fetchOne(db, key: playerId) else { return }
                player.score += 100
                try player.update(db)
            }
            XCTAssertEqual(players.wait(count: 2).map { $0?.score }, [10, 110])
            cancellable.cancel()
        }
    }

    func testValueIsNilWithoutRowsAndForNull() throws {
        try onQueueAndPool { writer in
            let maximum: SQLRequest<Int> = "SELECT MAX(score) FROM player"
            let first: SQLRequest<Int> = "SELECT score FROM player"
            let (maxima, one) = start(ValueObservation.trackingOne(maximum), in: writer)
            let (scores, two) = start(ValueObservation.trackingOne(first), in: writer)
            XCTAssertEqual(maxima.wait(count: 1), [nil])
            XCTAssertEqual(scores.wait(count: 1), [nil])
            try writer.write { db in try Player(name: "Arthur", score: 7).insert(db) }
            XCTAssertEqual(maxima.wait(count: 2), [nil, 7])
            XCTAssertEqual(scores.wait(count: 2), [nil, 7])
            one.cancel()
            two.cancel()
        }
    }

    func testAllResultsAreObserved() throws {
        try onQueueAndPool { writer in
            try writer.write { db in try Player.insert("Zoe", into: db) }
            let (names, cancellable) = start(
                ValueObservation.trackingAll(Player.order(Column("name"))).map { $0.map(\.name) }, in: writer)
            names.wait(count: 1)
            try writer.write { db in
                _ = try Player.deleteAll(db)
                try Player.insert("Barbara", "Arthur", into: db)
            }
            XCTAssertEqual(names.wait(count: 2), [["Zoe"], ["Arthur", "Barbara"]])
            cancellable.cancel()
        }
    }

    func testAnyTypeOfValuesIsObserved() throws {
        try onQueueAndPool { writer in
            try writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE link (url TEXT, email TEXT);
                        INSERT INTO link VALUES ('https://example.com', NULL)
                        """)
            }
            let request = SQLRequest<URL>("SELECT url FROM link")
            let (urls, first) = start(ValueObservation.trackingAll(request), in: writer)
            XCTAssertEqual(urls.wait(count: 1).map { $0.map(\.absoluteString) }, [["https://example.com"]])
            let optional = SQLRequest<String?>("SELECT email FROM link")
            let (emails, second) = start(ValueObservation.trackingAll(optional), in: writer)
            XCTAssertEqual(emails.wait(count: 1), [[nil]])
            first.cancel()
            second.cancel()
        }
    }

    // MARK: - Several requests

    func testChangesOfSeveralRequestsAreNotifiedOncePerTransaction() throws {
        try onQueueAndPool { writer in
            try writer.write { db in try Player.insert("Zoe", into: db) }
            let (printed, cancellable) = start(
                DatabaseRegionObservation(tracking: [Player.all(), Team.all()]), in: writer,
                printing: "Players or teams have changed.")
            try writer.write { db in _ = try Player.deleteAll(db) }
            XCTAssertEqual(printed.all.count, 1)
            try writer.write { db in
                var team = Team(name: "Blue")
                try team.insert(db)
                try Player(name: "Arthur", teamId: team.id).insert(db)
            }
            XCTAssertEqual(printed.all, Array(repeating: "Players or teams have changed.", count: 2))
            cancellable.cancel()
        }
    }

    func testValuesOfSeveralRequestsMatch() throws {
        try onQueueAndPool { writer in
            let (pairs, cancellable) = start(
                ValueObservation.tracking(regions: [Player.all(), Team.all()]) { db in
                    try (Player.fetchAll(db), Team.fetchAll(db))
                }.map { players, teams in
                    Set(players.map(\.teamId)).isSubset(of: Set(teams.map(\.id))) ? players.count : -1
                }, in: writer)
            pairs.wait(count: 1)
            for number in 1...20 {
                try writer.write { db in
                    var team = Team(name: "\(number)")
                    try team.insert(db)
                    try Player(name: "Arthur", teamId: team.id).insert(db)
                }
            }
            let counts = pairs.wait { $0.last == 20 }
            XCTAssertFalse(counts.contains(-1), "players without team")
            cancellable.cancel()
        }
    }

    // MARK: - Regions

    func testRegionsOfRequestsAreCombined() throws {
        try onQueueAndPool { writer in
            try writer.read { db in
                let playerRegion = try SQLRequest<Player>("SELECT * FROM player").databaseRegion(db)
                XCTAssertEqual(playerRegion.description, "player(id,name,score,teamId)")
                let teamRegion = try Team.filter(key: 1).databaseRegion(db)
                XCTAssertEqual(teamRegion.description, "team(id,name)[1]")
                XCTAssertEqual(
                    playerRegion.union(teamRegion).description,
                    "player(id,name,score,teamId),team(id,name)[1]")
            }
        }
    }

    func testTypesWithARegionAreObserved() throws {
        try onQueueAndPool { writer in
            let request = TeamInfoRequest(teamId: 1)
            let (infos, cancellable) = start(
                ValueObservation.tracking(region: request, fetch: { try request.fetchOne($0) })
                    .coalescing(.never), in: writer)
            infos.wait(count: 1)
            try writer.write { db in
                var team = Team(name: "Blue")
                try team.insert(db)
            }
            try writer.write { db in try Player(name: "Arthur", teamId: 1).insert(db) }
            // A player of another team is not in the region.
            try writer.write { db in try Player(name: "Barbara", teamId: 2).insert(db) }
            try writer.write { db in try Player(name: "Craig", teamId: 1).insert(db) }
            XCTAssertEqual(
                infos.wait(count: 4).map { $0?.players.map(\.name) },
                [nil, [], ["Arthur"], ["Arthur", "Craig"]])
            cancellable.cancel()
        }
    }

    func testChangesOfTheFullDatabaseAreNotified() throws {
        try onQueueAndPool { writer in
            let (printed, cancellable) = start(
                DatabaseRegionObservation(tracking: .fullDatabase), in: writer,
                printing: "Database has changed.")
            try writer.write { db in try Player.insert("Arthur", into: db) }
            try writer.write { db in try db.execute(sql: "INSERT INTO team (name) VALUES ('Blue')") }
            XCTAssertEqual(printed.all, Array(repeating: "Database has changed.", count: 2))
            cancellable.cancel()
        }
    }

    // MARK: - Diffs

    private struct Place: Codable, Equatable, FetchableRecord, PersistableRecord {
        var uuid: String
        var name: String
    }

    func testScannersComputeTheDifferencesBetweenResults() throws {
        try onQueueAndPool { writer in
            try writer.write { db in
                try db.create(table: "place") { t in
                    t.column("uuid", .text).primaryKey().collate(.nocase)
                    t.column("name", .text)
                }
                try Place(uuid: "b", name: "Brest").insert(db)
                try Place(uuid: "C", name: "Cahors").insert(db)
            }
            // Restore binary ordering.
            let request = Place.order(Column("uuid").collating(.binary))
            let scanner = try writer.read { db in
                try PrimaryKeyDiffScanner(
                    database: db, request: request, initialRecords: [Place(uuid: "A", name: "Arles")])
            }
            let (results, cancellable) = start(
                ValueObservation.trackingAll(request.asRequest(of: Row.self)), in: writer)
            let first = try scanner.diffed(from: results.wait(count: 1)[0])
            XCTAssertEqual(first.diff.inserted.map(\.uuid), ["C", "b"])
            XCTAssertEqual(first.diff.deleted.map(\.uuid), ["A"])
            try writer.write { db in
                try Place(uuid: "b", name: "Brive").update(db)
                _ = try Place.deleteOne(db, key: "C")
            }
            let second = try first.diffed(from: results.wait(count: 2)[1])
            XCTAssertEqual(
                second.diff,
                PrimaryKeyDiff(
                    updated: [Place(uuid: "b", name: "Brive")], deleted: [Place(uuid: "C", name: "Cahors")]))
            cancellable.cancel()
        }
    }

    // MARK: - Scheduling

    func testSnapshotsOfChangesMatch() throws {
        try onQueueAndPool { writer in
            guard let pool = writer as? DatabasePool else { return }
            let counts = Recorder<[Int]>()
            let cancellable = DatabaseRegionObservation(tracking: Player.all(), Team.all()).start(
                in: pool, onError: { XCTFail("\($0)") },
                onChange: { _ in
                    do {
                        let snapshot = try pool.makeSnapshot()
                        // Whatever is written meanwhile, the snapshot does not change.
                        counts.append(
                            try snapshot.read { db in try [Player.fetchCount(db), Team.fetchCount(db)] })
                    } catch {
                        XCTFail("\(error)")
                    }
                })
            try pool.write { db in
                try db.execute(sql: "INSERT INTO team (name) VALUES ('Blue')")
                try Player.insert("Arthur", into: db)
            }
            try pool.write { db in try Player.insert("Barbara", into: db) }
            XCTAssertEqual(counts.all, [[1, 1], [2, 1]])
            cancellable.cancel()
        }
    }

    func testChangesAreNotifiedBeforeTheWriteReturns() throws {
        try onQueueAndPool { writer in
            let counts = Recorder<Int>()
            let cancellable = DatabaseRegionObservation(tracking: Player.all()).start(
                in: writer, onError: { XCTFail("\($0)") },
                onChange: { db in
                    // The latest state of the database, on its protected queue.
                    counts.append((try? Player.fetchCount(db)) ?? -1)
                })
            for count in 1...3 {
                try writer.write { db in try Player.insert("Arthur", into: db) }
                XCTAssertEqual(counts.all.last, count)
            }
            cancellable.cancel()
        }
    }

    func testValuesAreEmittedInTheOrderOfTransactions() throws {
        try onQueueAndPool { writer in
            let (counts, cancellable) = start(ValueObservation.tracking(Player.fetchCount), in: writer)
            for _ in 1...50 { try writer.write { db in try Player.insert("Arthur", into: db) } }
            let all = counts.wait { $0.last == 50 }
            XCTAssertEqual(all, all.sorted())
            cancellable.cancel()
        }
    }

    func testEachTransactionIsEmittedWithoutCoalescing() throws {
        try onQueueAndPool { writer in
            let (counts, cancellable) = start(
                ValueObservation.tracking(Player.fetchCount).coalescing(.never), in: writer)
            counts.wait(count: 1)
            for _ in 1...20 { try writer.write { db in try Player.insert("Arthur", into: db) } }
            XCTAssertEqual(counts.wait(count: 21), Array(0...20))
            cancellable.cancel()
        }
    }
}
