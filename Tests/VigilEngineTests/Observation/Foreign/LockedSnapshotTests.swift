import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilStorage
import VigilTestSupport
import VigilTesting
import XCTest

@testable import VigilEngine

/// Commits while no snapshot can be taken, for example because another program recovers the log.
final class LockedSnapshotTests: XCTestCase {
    func testObservationsSurviveALockAfterTheRowsOfOthersAreKnown() throws {
        for isPool in [false, true] {
            let backend = LockingBackend()
            let file = try DatabaseFile(for: self)
            let other = try file.openWriter(backend: backend.base)
            try other.write { db in
                try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
                try db.execute(sql: "INSERT INTO t VALUES (1, 0), (2, 0)")
            }
            var configuration = Configuration()
            configuration.foreignChanges = .observed
            configuration.backend = backend
            let observed: any DatabaseWriter =
                isPool
                ? try DatabasePool(path: file.path, configuration: configuration)
                : try DatabaseQueue(path: file.path, configuration: configuration)
            let values = ArrivingValues<Int?>()
            let errors = ArrivingValues<String>()
            let cancellable =
                ValueObservation
                .tracking { db in try Int.fetchOne(db, sql: "SELECT x FROM t WHERE id = 1") }
                .start(
                    in: observed, scheduling: .async(onQueue: DispatchQueue(label: name)),
                    onError: { errors.append("\($0)") }, onChange: { values.append($0) })
            values.await(last: 0)
            try observed.findForeignCommits(times: 2)
            for x in 1...3 {
                backend.lock()
                try other.write { db in
                    try db.execute(sql: "UPDATE t SET x = ? WHERE id = 1", arguments: [x])
                }
                for _ in 0..<3 { backend.failures.awaitNext() }
                XCTAssertEqual(errors.all, [], isPool ? "pool" : "queue")
                backend.unlock()
                values.await(last: x)
            }
            withExtendedLifetime(cancellable) {}
        }
    }

    func testAQueueRepeatsTheFetchOfAnOwnCommitAfterALock() throws {
        for isThrottled in [false, true] {
            for mayWrite in [false, true] {
                try checkOwnCommit(isPool: false, mayWrite: mayWrite, isThrottled: isThrottled)
            }
        }
    }

    func testAPoolRepeatsTheFetchWithWriteAccessAfterALock() throws {
        for isThrottled in [false, true] {
            try checkOwnCommit(isPool: true, mayWrite: true, isThrottled: isThrottled)
        }
    }

    func testAQueueRepeatsTheFetchOfALockedTableOfSharedMemory() throws {
        let memory = UUID().uuidString
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(named: memory, configuration: configuration)
        try other.createTables()
        configuration.foreignChanges = .observed
        let observed = try DatabaseQueue(named: memory, configuration: configuration)
        for mayWrite in [false, true] {
            var observation = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
            }
            observation.requiresWriteAccess = mayWrite
            let count = try XCTUnwrap(other.count("t"))
            let values = ArrivingValues<Int>()
            let errors = ArrivingValues<String>()
            let cancellable = observation.start(
                in: observed, scheduling: .async(onQueue: DispatchQueue(label: name)),
                onError: { errors.append("\($0)") }, onChange: { values.append($0) })
            values.await(last: count)
            try observed.writeWithoutTransaction { _ in
                // No check for the commit can come between it and the lock.
                try other.insert()
                try other.inDatabase { db in
                    try db.beginTransaction()
                    try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
                }
            }
            try observed.findForeignCommits()
            XCTAssertEqual(values.all, [count])
            try other.inDatabase { db in try db.commit() }
            values.await(last: count + 2)
            XCTAssertEqual(errors.all, [])
            cancellable.cancel()
        }
    }

    private func checkOwnCommit(isPool: Bool, mayWrite: Bool, isThrottled: Bool) throws {
        let file = try DatabaseFile(for: self)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: file.path, configuration: configuration)
        try other.write { db in try db.execute(sql: "CREATE TABLE t(x)") }
        configuration.foreignChanges = .observed
        configuration.busyMode = .immediateError
        let observed: any DatabaseWriter =
            isPool
            ? try DatabasePool(path: file.path, configuration: configuration)
            : try DatabaseQueue(path: file.path, configuration: configuration)
        var observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
        }
        observation.requiresWriteAccess = mayWrite
        let timer = StepTimer()
        if isThrottled { observation = observation.throttled(.seconds(1)).timed(by: timer) }
        let values = ArrivingValues<Int>()
        let errors = ArrivingValues<String>()
        let queue = DispatchQueue(label: name)
        let cancellable = observation.start(
            in: observed, scheduling: .async(onQueue: queue),
            onError: { errors.append("\($0)") }, onChange: { values.append($0) })
        values.await(last: 0)
        queue.sync {}  // The consumer has returned.
        if isThrottled { timer.scheduled.wait(count: 1) }
        try observed.write { db in
            db.add(transactionObserver: LockingObserver(other), extent: .nextTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        // A throttled observation schedules its fetch when the interval ends.
        timer.manual.advance(by: .seconds(1))
        // An access after the fetch that was made stale by the commit.
        observed.writeWithoutTransaction { _ in }
        XCTAssertEqual(values.all, [0])
        XCTAssertEqual(observed.observations.map(\.phase), [.waitingToFetch])
        try other.inDatabase { db in try db.execute(sql: "COMMIT") }
        values.await(last: 1)
        XCTAssertEqual(errors.all, [])
        withExtendedLifetime(cancellable) {}
    }
}

/// Locks the database with another connection after each commit.
private final class LockingObserver: TransactionObserver {
    private let other: DatabaseQueue

    init(_ other: DatabaseQueue) { self.other = other }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {
        XCTAssertNoThrow(try other.inDatabase { db in try db.execute(sql: "BEGIN EXCLUSIVE") })
    }
    func databaseDidRollback(_ db: Database) {}
}

/// The default backend, except that the test controls whether snapshots can be taken.
private final class LockingBackend: ForwardingBackend {
    let base = makeDefaultBackend()
    /// One value for each snapshot that was not taken.
    let failures = ArrivingValues<Int>()
    private let isLocked = Atomic(false)

    func lock() { isLocked.store(true, ordering: .sequentiallyConsistent) }

    func unlock() { isLocked.store(false, ordering: .sequentiallyConsistent) }

    func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
        -> any StorageConnection
    {
        let connection = try base.open(location, options: options)
        guard let commits = connection as? any ForeignCommitReading else { return connection }
        return Connection(commits) { [self] in
            guard isLocked.load(ordering: .sequentiallyConsistent) else { return false }
            failures.append(0)
            return true
        }
    }

    private final class Connection: ForwardingConnection, ForeignCommitReading {
        private let commits: any ForeignCommitReading
        private let isLocked: () -> Bool

        init(_ commits: any ForeignCommitReading, isLocked: @escaping () -> Bool) {
            self.commits = commits
            self.isLocked = isLocked
            super.init(commits)
        }

        override func beginSnapshot() throws(StorageError) {
            if isLocked() { throw StorageError(.busy, "database is locked") }
            try super.beginSnapshot()
        }

        var knowsCurrentState: Bool { commits.knowsCurrentState }
        func markCommits() { commits.markCommits() }
        func skipMarkedCommits() { commits.skipMarkedCommits() }
        func reportMarkedCommits(to report: (ChangeEvent) -> Void) -> String? {
            commits.reportMarkedCommits(to: report)
        }
        var hasCommitInProgress: Bool? { commits.hasCommitInProgress }
        func logWaitsForReaders() -> Bool { commits.logWaitsForReaders() }
        func logProgress() -> LogProgress? { commits.logProgress() }
        func prepareForForeignCommits() { commits.prepareForForeignCommits() }
        var foreignCommitState: CommitFeedState { commits.foreignCommitState }
    }
}
