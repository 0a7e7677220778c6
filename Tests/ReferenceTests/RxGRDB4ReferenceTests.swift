import Dispatch
import Foundation
import Vigil
import VigilTestSupport
import XCTest

/// The samples of the documentation of RxGRDB 4.0, in their order, without the observables.
final class RxGRDB4ReferenceTests: ReferenceTestCase {
    func testEachAccessStartsAgain() async throws {
        try await onQueueAndPoolAsync { writer in
            for count in 1...2 {
                let newPlayerCount = try await writer.write { db -> Int in
                    try Player(name: "Arthur").insert(db)
                    return try Player.fetchCount(db)
                }
                XCTAssertEqual(newPlayerCount, count)
                let players = try await writer.read { db in try Player.fetchAll(db) }
                XCTAssertEqual(players.count, count)
            }
        }
    }

    /// The observable never completes when the database is closed, and emits no more values.
    func testNoValueIsEmittedAfterTheDatabaseIsClosed() throws {
        try onQueueAndPool { writer in
            let (counts, cancellable) = start(ValueObservation.tracking(Player.fetchCount), in: writer)
            XCTAssertEqual(counts.wait(count: 1), [0])
            try writer.close()
            XCTAssertEqual(counts.all, [0])
            cancellable.cancel()
        }
    }

    func testTheHallOfFameIsObservedAsOneValue() throws {
        struct HallOfFame: Equatable, Sendable {
            var playerCount: Int
            var bestPlayers: [String]
        }
        try onQueueAndPool { writer in
            let (values, cancellable) = start(
                ValueObservation.tracking { db -> HallOfFame in
                    let playerCount = try Player.fetchCount(db)
                    let bestPlayers = try Player.limit(2).order(\.score.desc).fetchAll(db)
                    return HallOfFame(playerCount: playerCount, bestPlayers: bestPlayers.map(\.name))
                }, in: writer)
            values.wait(count: 1)
            try writer.write { db in
                for (score, name) in ["Arthur", "Barbara", "Craig"].enumerated() {
                    try Player(name: name, score: score).insert(db)
                }
            }
            XCTAssertEqual(
                values.wait(count: 2).last, HallOfFame(playerCount: 3, bestPlayers: ["Craig", "Barbara"]))
            cancellable.cancel()
        }
    }

    func testTransactionsThatModifyPlayersAreObserved() throws {
        try onQueueAndPool { writer in
            let printed = Recorder<String>()
            let cancellable = DatabaseRegionObservation(tracking: Player.all()).start(
                in: writer, onError: { XCTFail("\($0)") },
                onChange: { _ in printed.append("Players have changed.") })
            try writer.write { db in try Player.insert("Arthur", "Barbara", into: db) }
            XCTAssertEqual(printed.all.count, 1)
            try writer.write { db in _ = try Player.deleteAll(db) }
            XCTAssertEqual(printed.all, ["Players have changed.", "Players have changed."])
            cancellable.cancel()
        }
    }
}
