import Dispatch
import Foundation
import Vigil
import VigilTestSupport
import XCTest

/// The samples of the documentation of RxGRDB 0.18, in their order, without the observables.
final class RxGRDB018ReferenceTests: ReferenceTestCase {
    func testRequestsWrittenAsTextAreObserved() throws {
        try onQueueAndPool { writer in
            let request: SQLRequest<Int> = "SELECT MAX(score) FROM player"
            let (maxima, cancellable) = start(
                ValueObservation.trackingOne(request).removeDuplicates(), in: writer)
            maxima.wait(count: 1)
            try writer.write { db in try Player(name: "Arthur", score: 7).insert(db) }
            maxima.wait { $0.last == 7 }
            // The maximum is the same.
            try writer.write { db in try Player(name: "Barbara", score: 3).insert(db) }
            try writer.write { db in try Player(name: "Craig", score: 9).insert(db) }
            XCTAssertEqual(maxima.wait { $0.last == 9 }, [nil, 7, 9])
            cancellable.cancel()
        }
    }

    func testPlayersAreInsertedAndCounted() async throws {
        try await onQueueAndPoolAsync { writer in
            let newPlayerCount = try await writer.write { db -> Int in
                try Player(name: "Arthur").insert(db)
                return try Player.fetchCount(db)
            }
            XCTAssertEqual(newPlayerCount, 1)
            let players = try await writer.read { db in try Player.fetchAll(db) }
            XCTAssertEqual(players.map(\.name), ["Arthur"])
        }
    }

    func testDeletionAndInsertionInOneTransactionAreOneValue() throws {
        try onQueueAndPool { writer in
            let (counts, cancellable) = start(
                ValueObservation.trackingCount(Player.all()).removeDuplicates(), in: writer)
            counts.wait(count: 1)
            try writer.write { db in
                _ = try Player.deleteAll(db)
                try Player(name: "Arthur").insert(db)
            }
            XCTAssertEqual(counts.wait(count: 2), [0, 1])
            cancellable.cancel()
        }
    }

    func testRegionsOfSeveralRequestsAreObserved() throws {
        try onQueueAndPool { writer in
            let printed = Recorder<String>()
            let observation = DatabaseRegionObservation(tracking: Player.all(), Team.all())
            let cancellable = observation.start(
                in: writer, onError: { XCTFail("\($0)") },
                onChange: { _ in printed.append("Players or teams have changed.") })
            try writer.write { db in
                var team = Team(name: "Blue")
                try team.insert(db)
                try Player(name: "Arthur", teamId: team.id).insert(db)
            }
            XCTAssertEqual(printed.all, ["Players or teams have changed."])
            cancellable.cancel()
        }
    }

    /// A use case of changes: to write after an impactful transaction, before any other one.
    func testChangesMayBeFollowedByAWrite() throws {
        try onQueueAndPool { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE log (players INTEGER)")
            }
            let cancellable = DatabaseRegionObservation(tracking: Player.all()).start(
                in: writer, onError: { XCTFail("\($0)") },
                onChange: { db in
                    do {
                        try db.execute(sql: "INSERT INTO log SELECT COUNT(*) FROM player")
                    } catch {
                        XCTFail("\(error)")
                    }
                })
            try writer.write { db in try Player.insert("Arthur", into: db) }
            try writer.write { db in try Player.insert("Barbara", "Craig", into: db) }
            XCTAssertEqual(try writer.read { try Int.fetchAll($0, sql: "SELECT players FROM log") }, [1, 3])
            cancellable.cancel()
        }
    }

    func testBestPlayersAreFetchedWhenPlayersChange() throws {
        try onQueueAndPool { writer in
            let observation = ValueObservation.tracking(
                region: Player.all(),
                fetch: { db -> [Int] in
                    let players = try Player.order(\.score.desc).limit(10).fetchAll(db)
                    return try [players.count, Player.fetchCount(db)]
                })
            let (counts, cancellable) = start(observation, in: writer)
            counts.wait(count: 1)
            try writer.write { db in for score in 1...12 { try Player(name: "", score: score).insert(db) } }
            XCTAssertEqual(counts.wait(count: 2), [[0, 0], [10, 12]])
            cancellable.cancel()
        }
    }

    func testReadsAreConcurrentWithChangesOfAPool() throws {
        try onQueueAndPool { writer in
            guard let pool = writer as? DatabasePool else { return }
            let counts = Recorder<Int>()
            let cancellable = DatabaseRegionObservation(tracking: Player.all()).start(
                in: pool, onError: { XCTFail("\($0)") },
                onChange: { _ in
                    // The writer is blocked meanwhile, readers are not.
                    let read = DispatchSemaphore(value: 0)
                    pool.asyncRead { db in
                        counts.append((try? Player.fetchCount(db.get())) ?? -1)
                        read.signal()
                    }
                    XCTAssertEqual(read.wait(timeout: .now() + Self.timeout), .success)
                })
            try pool.write { db in try Player.insert("Arthur", into: db) }
            XCTAssertEqual(counts.all, [1])
            cancellable.cancel()
        }
    }
}
