import Dispatch
import Logging
import Synchronization
import Vigil
import VigilStorage
import VigilTesting
import XCTest

@testable import VigilEngine

/// A pool whose backend reports commits from a feed.
final class CommitFeedTests: XCTestCase {
    private let backend = ManualFeedBackend()
    private var feed: ManualFeed { backend.feed }

    private func makePool(_ configuration: Configuration = Configuration()) throws -> DatabasePool {
        let pool = try DatabasePool(
            backend: backend, location: .file(path: "db"), configuration: configuration)
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t(a INTEGER); CREATE TABLE u(a INTEGER)")
        }
        return pool
    }

    private func count(_ table: String = "t") -> ValueObservation<ValueReducers.Fetch<Int>> {
        .tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table)") ?? -1 }
    }

    private func observe<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, _ pool: DatabasePool
    ) -> Observed<Reducer.Value> {
        Observed { values, errors in
            observation.start(
                in: pool, scheduling: immediately, onError: { errors.append($0) },
                onChange: { values.append($0) })
        }
    }

    private func insert(into table: String = "t", _ pool: DatabasePool) throws {
        try pool.write { db in try db.execute(sql: "INSERT INTO \(table) VALUES (1)") }
    }

    /// Waits until all rounds that have been requested have ended.
    private func settle(_ pool: DatabasePool) throws { try pool.barrierWriteWithoutTransaction { _ in } }

    // MARK: - Commits

    func testCommitsAreReportedByTheFeedOnly() throws {
        let pool = try makePool()
        let observed = observe(count(), pool)
        try insert(pool)
        try settle(pool)
        XCTAssertEqual(observed.values.all, [0])
        feed.commit(.insertion("t", 1))
        XCTAssertEqual(observed.values.wait(count: 2), [0, 1])
    }

    func testOnlyCommitsThatModifyTheRegionCauseAFetch() throws {
        let pool = try makePool()
        let observed = observe(count(), pool)
        try insert(into: "u", pool)
        feed.commit(.insertion("u", 1))
        try insert(pool)
        feed.commit(.insertion("t", 1))
        XCTAssertEqual(observed.values.wait(count: 2), [0, 1])
        let statuses = pool.observations
        XCTAssertEqual(statuses.first?.changeCount, 1)
    }

    func testCommitsOfOtherConnectionsAreReported() throws {
        let pool = try makePool()
        let other = try DatabaseQueue(
            backend: backend, location: .file(path: "db"), configuration: Configuration())
        let observed = observe(count(), pool)
        try other.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        feed.commit(.insertion("t", 1))
        XCTAssertEqual(observed.values.wait(count: 2), [0, 1])
    }

    func testARegionThatChangesIsFollowed() throws {
        let pool = try makePool()
        let observed = observe(
            .tracking { db in
                let isEmpty = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 0
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(isEmpty ? "t" : "u")") ?? -1
            }, pool)
        try insert(pool)
        feed.commit(.insertion("t", 1))
        XCTAssertEqual(observed.values.wait(count: 2), [0, 0])
        try insert(into: "u", pool)
        feed.commit(.insertion("u", 1))
        XCTAssertEqual(observed.values.wait(count: 3), [0, 0, 1])
    }

    func testTheChangesOfACommitBeforeARegistrationAreMatchedAtItsEnd() throws {
        let pool = try makePool()
        feed.change(.insertion("t", 1))
        let observed = observe(count(), pool)
        try insert(pool)
        feed.commit()
        XCTAssertEqual(observed.values.wait(count: 2), [0, 1])
    }

    func testAnObservationThatEndsDuringACommitStaysEnded() throws {
        let pool = try makePool()
        feed.change(.insertion("t", 1))
        let observed = observe(count(), pool)
        observed.cancel()
        feed.commit()
        try settle(pool)
        XCTAssertEqual(observed.values.all, [0])
        XCTAssertEqual(pool.coordinatedObserverCount, 0)
    }

    func testAnObservationThatEndsDuringACommitMayOwnAnother() throws {
        let pool = try makePool()
        feed.change(.insertion("v", 1))
        var other = Optional(
            count("u").start(
                in: pool, scheduling: immediately, onError: { XCTFail("\($0)") }, onChange: { _ in }))
        let observed = observe(
            .tracking { [other] db in
                defer { withExtendedLifetime(other) {} }
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
            }, pool)
        other = nil
        observed.cancel()
        XCTAssertEqual(pool.observations.count, 1)
        let hasCommitted = Gate()
        DispatchQueue.global().async { [feed] in
            feed.commit()
            hasCommitted.open()
        }
        hasCommitted.wait()
        XCTAssertEqual(pool.observations.count, 0)
    }

    func testAnEndedRegionMayOwnAnObservation() throws {
        let pool = try makePool()
        var other = Optional(
            count("u").start(
                in: pool, scheduling: immediately, onError: { XCTFail("\($0)") }, onChange: { _ in }))
        let region = DatabaseRegionObservation(
            tracking: AnyDatabaseRegionConvertible { [other] _ in
                withExtendedLifetime(other) { DatabaseRegion(table: "t") }
            }
        ).start(in: pool, onError: { XCTFail("\($0)") }, onChange: { _ in })
        other = nil
        XCTAssertEqual(pool.observations.count, 1)
        region.cancel()
        let hasEnded = Gate()
        pool.asyncWriteWithoutTransaction { _ in hasEnded.open() }
        hasEnded.wait()
        XCTAssertEqual(pool.observations.count, 0)
    }

    func testCommitsDuringAFetchAreFetchedAfterwards() throws {
        let pool = try makePool()
        let isFirst = Atomic<Bool>(true)
        let observed = observe(
            .tracking { [feed] db in
                let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
                if isFirst.exchange(false, ordering: .relaxed) {
                    try pool.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
                    feed.commit(.insertion("t", 1))
                }
                return count
            }, pool)
        XCTAssertEqual(observed.values.wait(count: 2), [0, 1])
    }

    func testChangesThatTheDatabaseDoesNotReportAreAnnounced() throws {
        let pool = try makePool()
        let observed = observe(count(), pool)
        try pool.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            try db.notifyChanges(in: DatabaseRegion(table: "t"))
        }
        XCTAssertEqual(observed.values.wait(count: 2), [0, 1])
        try insert(pool)
        try pool.writeWithoutTransaction { db in try db.notifyChanges(in: DatabaseRegion(table: "t")) }
        XCTAssertEqual(observed.values.wait(count: 3), [0, 1, 2])
    }

    /// As during migrations, whose intermediate states cannot be read.
    func testPostponedFetchesWaitForTheEnd() throws {
        let pool = try makePool()
        let observed = observe(count(), pool)
        try pool.writeWithoutTransaction { db in
            try db.postponingFetches {
                for id in 1...3 as ClosedRange<Int64> {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    feed.commit(.insertion("t", id))
                }
                XCTAssertEqual(pool.observations.first?.changeCount, 0)
            }
        }
        XCTAssertEqual(observed.values.wait(count: 2), [0, 3])
        try insert(pool)
        feed.commit(.insertion("t", 4))
        XCTAssertEqual(observed.values.wait(count: 3), [0, 3, 4])
    }

    func testAnObservationThatStartsOrEndsWhileFetchesArePostponed() throws {
        let pool = try makePool()
        let other = observe(count(), pool)
        let started = Recorder<Observed<Int>>()
        try pool.writeWithoutTransaction { db in
            try db.postponingFetches {
                started.append(observe(count(), pool))
                other.cancel()
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                feed.commit(.insertion("t", 1))
            }
        }
        let observed = try XCTUnwrap(started.all.first)
        XCTAssertEqual(observed.values.wait(count: 2), [0, 1])
        XCTAssertEqual(other.values.all, [0])
        XCTAssertEqual(pool.coordinatedObserverCount, 1)
    }

    // MARK: - Regions

    func testRegionsAreNotifiedOnTheWriterAfterTheCommit() throws {
        let pool = try makePool()
        let counts = Recorder<Int>()
        let cancellable = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t")).start(
            in: pool, onError: { XCTFail("\($0)") },
            onChange: { db in
                XCTAssertNotNil(db.coordinator)
                counts.append((try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")) ?? -1)
            })
        try insert(into: "u", pool)
        feed.commit(.insertion("u", 1))
        try insert(pool)
        feed.commit(.insertion("t", 1))
        XCTAssertEqual(counts.wait(count: 1), [1])
        cancellable.cancel()
        try settle(pool)
        feed.commit(.insertion("t", 2))
        try settle(pool)
        XCTAssertEqual(counts.all, [1])
        XCTAssertEqual(pool.coordinatedObserverCount, 0)
    }

    func testNotificationsOfRegionsHaveTheNumbersOfTheirCommits() async throws {
        let (pool, feed) = (try makePool(), feed)
        var commits = DatabaseRegionObservation(tracking: DatabaseRegion(table: "t"))
            .commits(in: pool, bufferingPolicy: .unbounded).makeAsyncIterator()
        try await pool.writeWithoutTransaction { _ in
            feed.commit(.insertion("t", 1))
            feed.commit(.insertion("t", 2))
        }
        let (one, two) = (try await commits.next(), try await commits.next())
        XCTAssertEqual(one?.region, DatabaseRegion(table: "t", rowIds: [1]))
        XCTAssertEqual(two?.region, DatabaseRegion(table: "t", rowIds: [2]))
        XCTAssertLessThan(try XCTUnwrap(one).number, try XCTUnwrap(two).number)
    }

    // MARK: - Limits

    func testFetchesMustNotWrite() throws {
        let pool = try makePool()
        var observation = count()
        observation.requiresWriteAccess = true
        let observed = observe(observation, pool)
        let errors = observed.errors.wait(count: 1)
        XCTAssertEqual((errors.first as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
        XCTAssertTrue("\(errors)".contains("requiresWriteAccess"), "\(errors)")
        XCTAssertEqual(pool.observations.count, 0)
    }

    func testCommitsAreCoalescedEvenIfTheObservationAsksForEachOfThem() throws {
        let messages = Recorder<String>()
        var configuration = Configuration()
        configuration.logger = Logger(label: "feed") { _ in RecordingLogHandler(messages) }
        let pool = try makePool(configuration)
        let observed = observe(count().coalescing(.never), pool)
        XCTAssertEqual(
            messages.all.filter { $0.contains("coalesces") },
            ["debug: coalesces commits, because the backend cannot be read as of each of them"])
        for id in 1...3 {
            try insert(pool)
            feed.change(.insertion("t", Int64(id)))
        }
        feed.commit()
        XCTAssertEqual(observed.values.wait { $0.last == 3 }.count, 2)
    }

    func testAQueueObservesItsConnection() throws {
        let queue = try DatabaseQueue(
            backend: backend, location: .file(path: "db"), configuration: Configuration())
        XCTAssertFalse(feed.isStarted)
        try queue.writeWithoutTransaction { db in try db.execute(sql: "CREATE TABLE t(a INTEGER)") }
        let observed = Observed { values, errors in
            count().start(
                in: queue, scheduling: immediately, onError: { errors.append($0) },
                onChange: { values.append($0) })
        }
        try queue.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        XCTAssertEqual(observed.values.wait(count: 2), [0, 1])
    }

    // MARK: - States

    func testThePrecisionOfTheFeedIsLogged() throws {
        let messages = Recorder<String>()
        var configuration = Configuration()
        configuration.logger = Logger(label: "feed") { _ in RecordingLogHandler(messages) }
        let pool = try makePool(configuration)
        feed.enter(.precise)
        feed.enter(.coarse(reason: "no publication"))
        XCTAssertEqual(pool.feedState, .coarse(reason: "no publication"))
        XCTAssertEqual(
            messages.all.filter { $0.contains("commit") },
            [
                "info: the changes of each commit are known",
                "notice: each commit counts as a change of the whole database: no publication",
            ])
    }

    func testTheFirstStateOfTheFeedIsAwaited() throws {
        let pool = try makePool()
        XCTAssertEqual(pool.feedState(timeout: 0), .starting)
        let states = Recorder<CommitFeedState?>()
        DispatchQueue.concurrentPerform(iterations: 4) { [feed] number in
            if number == 0 { feed.enter(.precise) } else { states.append(pool.feedState(timeout: 30)) }
        }
        XCTAssertEqual(states.all, [.precise, .precise, .precise])
        feed.enter(.coarse(reason: "no publication"))
        XCTAssertEqual(pool.feedState(timeout: 30), .coarse(reason: "no publication"))
    }

    func testAFeedThatCannotStartIsAnErrorOfThePool() {
        feed.failure.withLock { $0 = StorageError(.authorization, "no such role") }
        XCTAssertThrowsError(try makePool()) { error in
            XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_AUTH)
            XCTAssertEqual((error as? DatabaseError)?.message, "no such role")
        }
    }

    func testClosingEndsTheFeedAndTheObservations() throws {
        let pool = try makePool()
        let observed = observe(count(), pool)
        try pool.close()
        XCTAssertTrue(feed.isCancelled.load(ordering: .sequentiallyConsistent))
        XCTAssertEqual(observed.errors.all.count, 0)
        XCTAssertEqual(pool.observations.count, 0)
    }

    func testReleasingThePoolEndsTheFeed() throws {
        var pool: DatabasePool? = try makePool()
        XCTAssertNotNil(pool)
        pool = nil
        XCTAssertTrue(feed.isCancelled.load(ordering: .sequentiallyConsistent))
    }
}

extension DatabasePool {
    fileprivate var coordinatedObserverCount: Int? {
        writeWithoutTransaction { db in db.coordinator?.observerCount }
    }
}
