import Dispatch
import Foundation
import Vigil
import VigilTestSupport
import XCTest

/// The samples of GRDB's page on Combine, in their order, without the publishers.
final class CombineReferenceTests: ReferenceTestCase {
    // MARK: - Asynchronous accesses

    func testPlayersAreReadAsynchronously() async throws {
        try await onQueueAndPoolAsync { writer in
            let players = try await writer.read { db in try Player.fetchAll(db) }
            XCTAssertEqual(players, [])
        }
    }

    func testReadsThatModifyTheDatabaseFail() async throws {
        try await onQueueAndPoolAsync { writer in
            do {
                try await writer.read { db in try Player.insert("Arthur", into: db) }
                XCTFail("no error")
            } catch let error as DatabaseError {
                XCTAssertEqual(error.resultCode, .SQLITE_READONLY)
            }
        }
    }

    func testWritesReturnTheirValue() async throws {
        try await onQueueAndPoolAsync { writer in
            try await writer.write { db in try Player(name: "Arthur").insert(db) }
            let newPlayerCount = try await writer.write { db -> Int in
                try Player(name: "Barbara").insert(db)
                return try Player.fetchCount(db)
            }
            XCTAssertEqual(newPlayerCount, 2)
        }
    }

    func testMigrationsRunAsynchronously() throws {
        try onQueueAndPool { writer in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("place") { db in
                try db.create(table: "place") { t in t.autoIncrementedPrimaryKey("id") }
            }
            let results = Recorder<String>()
            migrator.asyncMigrate(writer) { result in
                switch result {
                case .success: results.append("migrated")
                case .failure(let error): results.append("\(error)")
                }
            }
            XCTAssertEqual(results.wait(count: 1), ["migrated"])
            XCTAssertTrue(try writer.read { db in try db.tableExists("place") })
        }
    }

    // MARK: - Observation

    func testPlayersAndTheMaximumScoreAreObserved() throws {
        try onQueueAndPool { writer in
            let (players, first) = start(
                ValueObservation.tracking { db in try Player.fetchAll(db) }, in: writer)
            let (maxima, second) = start(
                ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player")
                }, in: writer)
            players.wait(count: 1)
            XCTAssertEqual(maxima.wait(count: 1), [nil])
            try writer.write { db in try Player(name: "Arthur", score: 12).insert(db) }
            XCTAssertEqual(players.wait(count: 2).last?.map(\.score), [12])
            XCTAssertEqual(maxima.wait(count: 2), [nil, 12])
            first.cancel()
            second.cancel()
        }
    }

    func testTransactionsThatModifyTheMaximumScoreAreObserved() throws {
        try onQueueAndPool { writer in
            let maxima = Recorder<Int?>()
            let cancellable = DatabaseRegionObservation(
                tracking: SQLRequest<Int>(sql: "SELECT MAX(score) FROM player")
            ).start(
                in: writer, onError: { XCTFail("\($0)") },
                onChange: { db in
                    // Exclusive write access to the database.
                    maxima.append((try? Int.fetchOne(db, sql: "SELECT MAX(score) FROM player")) ?? nil)
                })
            try writer.write { db in try Player(name: "Arthur", score: 12).insert(db) }
            // The region does not contain the name.
            try writer.write { db in try db.execute(sql: "UPDATE player SET name = 'Arthur I'") }
            try writer.write { db in _ = try Player.deleteAll(db) }
            XCTAssertEqual(maxima.all, [12, nil])
            cancellable.cancel()
        }
    }

    // MARK: - Data consistency

    private struct HallOfFame: Sendable {
        var totalPlayerCount: Int
        var bestPlayers: [Player]
    }

    /// Deletes and inserts players while a test observes them.
    private func writePlayers(_ writer: any DatabaseWriter) throws {
        for round in 1...30 {
            try writer.write { db in
                for score in 1...3 { try Player(name: "\(round)", score: score).insert(db) }
            }
            try writer.write { db in _ = try Player.deleteAll(db) }
        }
        try writer.write { db in try Player(name: "last", score: 100).insert(db) }
    }

    func testOneObservationIsConsistent() throws {
        try onQueueAndPool { writer in
            let (values, cancellable) = start(
                ValueObservation.tracking { db -> HallOfFame in
                    let totalPlayerCount = try Player.fetchCount(db)
                    let bestPlayers = try Player.order(\.score.desc).limit(10).fetchAll(db)
                    return HallOfFame(totalPlayerCount: totalPlayerCount, bestPlayers: bestPlayers)
                }, in: writer)
            try writePlayers(writer)
            let all = values.wait { $0.last?.bestPlayers.first?.score == 100 }
            XCTAssertTrue(all.allSatisfy { $0.bestPlayers.count <= $0.totalPlayerCount })
            cancellable.cancel()
        }
    }

    /// The page combines two publishers, which may not match. A group of observations does.
    func testGroupsOfObservationsAreConsistent() throws {
        try onQueueAndPool { writer in
            let group = ObservationGroup(
                ValueObservation.tracking(Player.fetchCount),
                ValueObservation.tracking(Player.order(\.score.desc).limit(10).fetchAll))
            let (values, cancellable) = start(
                group.observation.map { HallOfFame(totalPlayerCount: $0, bestPlayers: $1) }, in: writer)
            try writePlayers(writer)
            let all = values.wait { $0.last?.bestPlayers.first?.score == 100 }
            XCTAssertTrue(all.allSatisfy { $0.bestPlayers.count <= $0.totalPlayerCount })
            cancellable.cancel()
        }
    }
}
