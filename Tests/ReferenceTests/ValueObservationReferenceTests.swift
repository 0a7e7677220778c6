import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilTestSupport
import XCTest

/// The samples of GRDB's page on `ValueObservation`, in their order.
final class ValueObservationReferenceTests: ReferenceTestCase {
    // MARK: - Usage

    func testFreshPlayersAreNotifiedUntilTheCancellableIsCancelled() throws {
        try onQueueAndPool { writer in
            let observations: [ValueObservation<ValueReducers.Fetch<[Player]>>] = [
                .tracking { db in try Player.fetchAll(db) },
                // The shorthand notation.
                .tracking(Player.fetchAll),
            ]
            for observation in observations {
                try writer.write { db in _ = try Player.deleteAll(db) }
                let (players, cancellable) = start(observation, in: writer)
                players.wait(count: 1)
                try writer.write { db in try Player.insert("Arthur", into: db) }
                players.wait { $0.last?.map(\.name) == ["Arthur"] }
                cancellable.cancel()
                try writer.write { db in try Player.insert("Barbara", into: db) }
                // A later observation has received the change.
                let (later, other) = start(observation, in: writer)
                later.wait(count: 1)
                other.cancel()
                XCTAssertEqual(players.all.last?.map(\.name), ["Arthur"])
            }
        }
    }

    func testReleasingTheCancellableStopsTheObservation() throws {
        try onQueueAndPool { writer in
            var started: AnyDatabaseCancellable?
            let ended = Recorder<String>()
            let observation = ValueObservation.tracking(Player.fetchAll)
                .handleEvents(didCancel: { ended.append("cancelled") })
            let players: Recorder<[Player]>
            (players, started) = start(observation, in: writer)
            players.wait(count: 1)
            XCTAssertNotNil(started)
            started = nil
            ended.wait(count: 1)
        }
    }

    func testAsyncSequencesDeliverFreshPlayers() async throws {
        try await onQueueAndPoolAsync { writer in
            let observation = ValueObservation.tracking(Player.fetchAll)
            var counts: [Int] = []
            for try await players in observation.values(in: writer) {
                counts.append(players.count)
                if players.count == 2 { break }
                try await writer.write { db in try Player.insert("Arthur", into: db) }
            }
            XCTAssertEqual(counts, [0, 1, 2])
        }
    }

    // MARK: - Behavior

    func testOnlyCommittedChangesAreNotified() throws {
        struct Refused: Error {}
        try onQueueAndPool { writer in
            let (counts, cancellable) = start(ValueObservation.tracking(Player.fetchCount), in: writer)
            XCTAssertEqual(counts.wait(count: 1), [0])
            XCTAssertThrowsError(
                try writer.write { db in
                    try Player.insert("Arthur", "Barbara", into: db)
                    throw Refused()
                })
            try writer.write { db in try Player.insert("Craig", into: db) }
            XCTAssertEqual(counts.wait(count: 2), [0, 1])
            cancellable.cancel()
        }
    }

    func testIdenticalValuesAreSkippedByRemoveDuplicates() throws {
        try onQueueAndPool { writer in
            try writer.write { db in
                try Player(name: "Arthur", score: 10).insert(db)
                try Player(name: "Barbara", score: 5).insert(db)
            }
            let highest = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player")
            }
            let (all, first) = start(highest.coalescing(.never), in: writer)
            let (distinct, second) = start(highest.coalescing(.never).removeDuplicates(), in: writer)
            all.wait(count: 1)
            distinct.wait(count: 1)
            // The scores of the region change, the highest score does not.
            try writer.write { db in try db.execute(sql: "UPDATE player SET score = 10 WHERE id = 2") }
            try writer.write { db in try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1") }
            XCTAssertEqual(all.wait(count: 3), [10, 10, 11])
            XCTAssertEqual(distinct.wait(count: 2), [10, 11])
            first.cancel()
            second.cancel()
        }
    }

    func testStartedObservationsRetainTheirDatabase() throws {
        try onQueueAndPool { writer in
            weak var reader: DatabasePool?
            var cancellable: AnyDatabaseCancellable?
            let directory = try TemporaryDirectory()
            try autoreleased {
                let owned = try DatabasePool(
                    path: directory.file("retained.sqlite"), configuration: writer.configuration)
                reader = owned
                let values: Recorder<Int?>
                (values, cancellable) = start(
                    ValueObservation.tracking { db in
                        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master")
                    }, in: owned)
                values.wait(count: 1)
            }
            XCTAssertNotNil(reader)
            cancellable?.cancel()
        }
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }

    func testErrorsEndTheObservation() throws {
        try onQueueAndPool { writer in
            let errors = Recorder<String>()
            let values = Recorder<Int>()
            let cancellable = ValueObservation.tracking(Player.fetchCount).start(
                in: writer, scheduling: .async(onQueue: DispatchQueue(label: "reference")),
                onError: { errors.append("\($0)") }, onChange: { values.append($0) })
            values.wait(count: 1)
            try writer.write { db in try db.drop(table: "player") }
            errors.wait(count: 1)
            XCTAssertEqual(values.all, [0])
            cancellable.cancel()
        }
    }

    // MARK: - Scheduling

    func testByDefaultValuesAreNotifiedOnTheMainActorAsynchronously() throws {
        try onQueueAndPool { writer in
            let values = Recorder<Int>()
            let cancellable = MainActor.assumeIsolated {
                let cancellable = ValueObservation.tracking(Player.fetchCount).start(in: writer) { error in
                    MainActor.assertIsolated()
                    XCTFail("\(error)")
                } onChange: { count in
                    MainActor.assertIsolated()
                    values.append(count)
                }
                XCTAssertEqual(values.all, [])
                return cancellable
            }
            try writer.write { db in try Player.insert("Arthur", into: db) }
            values.wait { $0.last == 1 }
            cancellable.cancel()
        }
    }

    func testImmediateObservationsNotifyTheInitialValueBeforeTheStartReturns() throws {
        try onQueueAndPool { writer in
            let values = Recorder<Int>()
            let cancellable = MainActor.assumeIsolated {
                let cancellable = ValueObservation.tracking(Player.fetchCount)
                    .start(in: writer, scheduling: .immediate) { error in
                        XCTFail("\(error)")
                    } onChange: { count in
                        values.append(count)
                    }
                XCTAssertEqual(values.all, [0])
                return cancellable
            }
            try writer.write { db in try Player.insert("Arthur", into: db) }
            XCTAssertEqual(values.wait(count: 2), [0, 1])
            cancellable.cancel()
        }
    }

    func testAsyncObservationsNotifyOnTheirQueue() throws {
        try onQueueAndPool { writer in
            let myQueue = DispatchQueue(label: "my queue")
            let values = Recorder<Int>()
            let cancellable = ValueObservation.tracking(Player.fetchCount)
                .start(in: writer, scheduling: .async(onQueue: myQueue)) { error in
                    XCTFail("\(error)")
                } onChange: { count in
                    dispatchPrecondition(condition: .onQueue(myQueue))
                    values.append(count)
                }
            values.wait(count: 1)
            try writer.write { db in try Player.insert("Arthur", into: db) }
            XCTAssertEqual(values.wait(count: 2), [0, 1])
            cancellable.cancel()
        }
    }

    func testSharedObservationsAreConsumedByTasks() async throws {
        try await onQueueAndPoolAsync { writer in
            let shared = ValueObservation.tracking(Player.fetchAll).shared(in: writer, scheduling: .task)
            var names: [[String]] = []
            for try await players in shared.values() {
                names.append(players.map(\.name))
                if players.count == 1 { break }
                try await writer.write { db in try Player.insert("Arthur", into: db) }
            }
            XCTAssertEqual(names, [[], ["Arthur"]])
        }
    }

    // MARK: - Sharing

    func testSharedObservationsFetchOncePerChange() throws {
        try onQueueAndPool { writer in
            let fetches = Recorder<Void>()
            let shared =
                ValueObservation
                .tracking { db in
                    fetches.append(())
                    return try Player.fetchAll(db)
                }
                .shared(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "reference")))
            let clients = (1...3).map { _ in Recorder<Int>() }
            let cancellables = clients.map { client in
                shared.start(onError: { XCTFail("\($0)") }, onChange: { client.append($0.count) })
            }
            for client in clients { client.wait(count: 1) }
            let before = fetches.all.count
            try writer.write { db in try Player.insert("Arthur", into: db) }
            for client in clients { client.wait { $0.last == 1 } }
            XCTAssertEqual(fetches.all.count, before + 1)
            for cancellable in cancellables { cancellable.cancel() }
        }
    }

    // MARK: - The tracked region

    func testOnlyTheGivenRegionIsTracked() throws {
        try onQueueAndPool { writer in
            try writer.write { db in try Player.insert("Arthur", "Barbara", into: db) }
            let observation = ValueObservation.tracking(
                // The score column of the player with id 1.
                region: Player.select(\.score).filter(id: 1),
                fetch: { db in try Player.fetchOne(db, id: 1) })
            let (players, cancellable) = start(observation.coalescing(.never), in: writer)
            players.wait(count: 1)
            try writer.write { db in try db.execute(sql: "UPDATE player SET score = 5 WHERE id = 2") }
            try writer.write { db in try db.execute(sql: "UPDATE player SET name = 'Arthur I' WHERE id = 1") }
            try writer.write { db in try db.execute(sql: "UPDATE player SET score = 5 WHERE id = 1") }
            XCTAssertEqual(players.wait(count: 2).map { $0?.name }, ["Arthur", "Arthur I"])
            XCTAssertEqual(players.all.map { $0?.score }, [0, 5])
            cancellable.cancel()
        }
    }

    // MARK: - Undetected changes

    func testChangesCanBeNotifiedExplicitly() throws {
        try onQueueAndPool { writer in
            let (counts, cancellable) = start(
                ValueObservation.tracking(Player.fetchCount).coalescing(.never), in: writer)
            counts.wait(count: 1)
            try writer.write { db in try db.notifyChanges(in: .fullDatabase) }
            try writer.write { db in try db.notifyChanges(in: Player.all()) }
            try writer.write { db in try db.notifyChanges(in: Table("player")) }
            try writer.write { db in try db.notifyChanges(in: Table("team")) }
            try writer.write { db in try Player.insert("Arthur", into: db) }
            XCTAssertEqual(counts.wait(count: 5), [0, 0, 0, 0, 1])
            cancellable.cancel()
        }
    }

    /// The page lists these changes as undetected. Vigil notifies them.
    func testChangesThatThePageListsAsUndetectedAreNotified() throws {
        try onQueueAndPool { writer in
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
            }
            let (settings, first) = start(
                ValueObservation.tracking { db in
                    try String.fetchAll(db, sql: "SELECT value FROM setting")
                }, in: writer)
            let (tables, second) = start(
                ValueObservation.tracking { db in try db.tableExists("place") }, in: writer)
            settings.wait(count: 1)
            tables.wait(count: 1)
            try writer.write { db in try db.execute(sql: "INSERT INTO setting VALUES ('theme', 'dark')") }
            settings.wait { $0.last == ["dark"] }
            try writer.write { db in try db.execute(sql: "CREATE TABLE place (id INTEGER PRIMARY KEY)") }
            tables.wait { $0.last == true }
            first.cancel()
            second.cancel()
        }
    }

    // MARK: - Performance

    func testMapDoesNotBlockTheDatabase() throws {
        try onQueueAndPool { writer in
            try writer.write { db in try Player.insert("Arthur", into: db) }
            let observation = ValueObservation.tracking(Player.fetchAll)
                .map { players -> String in
                    // The transformation may access the database, because it does not run on the connection.
                    let count = try writer.read(Player.fetchCount)
                    return "\(players.count) of \(count)"
                }
            let (texts, cancellable) = start(observation, in: writer)
            XCTAssertEqual(texts.wait(count: 1), ["1 of 1"])
            cancellable.cancel()
        }
    }

    func testConstantRegionsAreThoseOfTheFirstFetch() throws {
        try onQueueAndPool { writer in
            let (counts, cancellable) = start(
                ValueObservation.trackingConstantRegion(Player.fetchCount), in: writer)
            counts.wait(count: 1)
            try writer.write { db in try Player.insert("Arthur", into: db) }
            counts.wait { $0.last == 1 }
            cancellable.cancel()
        }
    }

    // MARK: - Debugging

    func testEventsArePassedToTheirHandlers() throws {
        try onQueueAndPool { writer in
            let events = Recorder<String>()
            let observation = ValueObservation.tracking(Player.fetchCount).handleEvents(
                willStart: { events.append("start") }, willFetch: { events.append("fetch") },
                willTrackRegion: { events.append("track \($0)") },
                databaseDidChange: { events.append("change") },
                didReceiveValue: { events.append("value \($0)") },
                didFail: { events.append("fail \($0)") }, didCancel: { events.append("cancel") })
            let (counts, cancellable) = start(observation, in: writer)
            counts.wait(count: 1)
            try writer.write { db in try Player.insert("Arthur", into: db) }
            counts.wait { $0.last == 1 }
            cancellable.cancel()
            let all = events.wait { $0.last == "cancel" }
            XCTAssertEqual(all.first, "start")
            XCTAssertEqual(all.filter { $0 == "change" }.count, 1)
            XCTAssertEqual(all.filter { $0.hasPrefix("value") }, ["value 0", "value 1"])
            XCTAssertEqual(all.filter { $0.hasPrefix("track") }, ["track player(*)"])
        }
    }
}
