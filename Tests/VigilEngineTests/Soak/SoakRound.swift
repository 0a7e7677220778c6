import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilTesting
import XCTest

/// Runs many threads and tasks that use one database at once, for a given number of steps.
final class SoakRound: Sendable {
    /// The known outcomes of the writes.
    struct Ledger {
        var nextID = 1
        var acknowledged: Set<Int> = []
        /// The rows of writes that threw. They must not be stored.
        var refused: Set<Int> = []
        var steps = 0
        var problems: [String] = []
        /// The current step of each worker, for the report of a deadlock.
        var doing: [String: String] = [:]
        var cancellables: [AnyDatabaseCancellable] = []
    }

    static let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY);
        CREATE TABLE total(n INTEGER);
        INSERT INTO total VALUES (0);
        """
    static let stepsOfAWorker = 40

    let writer: any DatabaseWriter
    let seed: UInt64
    let ledger = Mutex(Ledger())
    private let closesAfter: Int?
    private let isClosing = Atomic<Bool>(false)

    init(_ writer: any DatabaseWriter, seed: UInt64) {
        self.writer = writer
        self.seed = seed
        var random = SplitMix64(seed: seed)
        closesAfter = random.chance(2) ? Int.random(in: 20...300, using: &random) : nil
    }

    var wasClosed: Bool { isClosing.load(ordering: .sequentiallyConsistent) }

    // MARK: - Running

    private typealias Step = @Sendable (inout SplitMix64) throws -> Void
    private typealias AsyncStep = @Sendable (inout SplitMix64) async throws -> Void

    /// Runs the workers, and returns whether all of them ended.
    func run(timeout: TimeInterval) -> Bool {
        let group = DispatchGroup()
        let steps: [(String, Step)] = [
            ("writer 1", write), ("writer 2", write), ("reader 1", read), ("reader 2", read),
            ("nested", nest), ("snapshots", snapshot), ("observations", observe), ("checkpoints", checkpoint),
        ]
        for (index, (name, step)) in steps.enumerated() {
            group.enter()
            Thread.detachNewThread { [self] in
                var random = SplitMix64(seed: seed &* 31 &+ UInt64(index))
                for number in 1...Self.stepsOfAWorker where begin(name, number) {
                    attempt { try step(&random) }
                }
                end(name)
                group.leave()
            }
        }
        let asyncSteps: [(String, AsyncStep)] = [
            ("async writer", writeAsync), ("async reader", readAsync), ("async barrier", barrierAsync),
        ]
        for (index, (name, step)) in asyncSteps.enumerated() {
            group.enter()
            Task.detached { [self] in
                var random = SplitMix64(seed: seed &* 37 &+ UInt64(index))
                for number in 1...Self.stepsOfAWorker where begin(name, number) {
                    do { try await step(&random) } catch { judge(error) }
                }
                end(name)
                group.leave()
            }
        }
        return group.wait(timeout: .now() + timeout) == .success
    }

    /// Counts the steps of all workers. One of them closes the database.
    private func begin(_ name: String, _ number: Int) -> Bool {
        let steps = ledger.withLock { ledger in
            ledger.steps += 1
            ledger.doing[name] = "step \(number)"
            return ledger.steps
        }
        if steps == closesAfter {
            isClosing.store(true, ordering: .sequentiallyConsistent)
            attempt { try writer.close() }
        }
        return true
    }

    private func end(_ name: String) { ledger.withLock { $0.doing[name] = nil } }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { judge(error) }
    }

    /// Records unexpected errors. Cancellation is expected, and so are errors of a closed database.
    private func judge(_ error: any Error) {
        if error is CancellationError { return }
        if let error = error as? DatabaseError, error.resultCode == .SQLITE_MISUSE, wasClosed { return }
        problem("\(error)")
    }

    func problem(_ text: String) { ledger.withLock { $0.problems.append(text) } }

    // MARK: - Writing

    private func newID() -> Int {
        ledger.withLock { ledger in
            defer { ledger.nextID += 1 }
            return ledger.nextID
        }
    }

    private static func insert(_ id: Int, _ db: Database) throws {
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id])
        try db.execute(sql: "UPDATE total SET n = n + 1")
    }

    private func write(_ random: inout SplitMix64) throws {
        let id = newID()
        do {
            try writer.write { db in try Self.insert(id, db) }
            ledger.withLock { _ = $0.acknowledged.insert(id) }
        } catch {
            ledger.withLock { _ = $0.refused.insert(id) }
            throw error
        }
    }

    private func writeAsync(_ random: inout SplitMix64) async throws {
        let id = newID()
        let (cancelsInside, cancelsOutside) = (random.chance(4), random.chance(3))
        let task = Task { [self] in
            do {
                try await writer.write { db in
                    try Self.insert(id, db)
                    if cancelsInside { cancelOneself() }
                }
                ledger.withLock { _ = $0.acknowledged.insert(id) }
            } catch {
                ledger.withLock { _ = $0.refused.insert(id) }
                throw error
            }
        }
        if cancelsOutside {
            await Task.yield()
            task.cancel()
        }
        try await task.value
    }

    private func barrierAsync(_ random: inout SplitMix64) async throws {
        let (cancels, long) = (random.chance(3), random.chance(8))
        let task = Task { [self] in
            try await writer.barrierWriteWithoutTransaction { db in
                if cancels, long { _ = try Int.fetchOne(db, sql: endlessQuery) }
                try check(db)
            }
        }
        if cancels {
            await Task.yield()
            task.cancel()
        }
        try await task.value
    }

    private func checkpoint(_ random: inout SplitMix64) throws {
        let kinds = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"]
        let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
        try writer.writeWithoutTransaction { db in
            do {
                try db.execute(sql: "PRAGMA wal_checkpoint(\(kind))")
            } catch DatabaseError.SQLITE_BUSY {}
        }
    }

    // MARK: - Reading

    /// Each write changes two tables, so a read sees both changes or neither.
    private func check(_ db: Database) throws {
        let counts = try Row.fetchOne(
            db, sql: "SELECT (SELECT COUNT(*) FROM t) AS a, (SELECT n FROM total) AS b")
        guard let a: Int = counts?["a"], let b: Int = counts?["b"], a == b else {
            return problem("a read saw only half of a write: \(counts?.description ?? "nothing")")
        }
    }

    private func read(_ random: inout SplitMix64) throws {
        try writer.read { db in
            let before = try Int.fetchOne(db, sql: "SELECT n FROM total")
            try check(db)
            let after = try Int.fetchOne(db, sql: "SELECT n FROM total")
            if before != after { problem("a read saw \(before ?? -1), then \(after ?? -1)") }
        }
    }

    private func readAsync(_ random: inout SplitMix64) async throws {
        let (cancels, long) = (random.chance(2), random.chance(3))
        let task = Task { [self] in
            try await writer.read { db in
                try check(db)
                if cancels, long { _ = try Int.fetchOne(db, sql: endlessQuery) }
            }
        }
        if cancels {
            await Task.yield()
            task.cancel()
        }
        try await task.value
    }

    /// Runs a read that writes, and a write that reads.
    private func nest(_ random: inout SplitMix64) throws {
        guard let pool = writer as? DatabasePool else { return try write(&random) }
        guard random.chance(2) else {
            return try pool.writeWithoutTransaction { _ in try pool.read { db in try check(db) } }
        }
        var copy = random
        try pool.read { _ in try write(&copy) }
    }

    private func snapshot(_ random: inout SplitMix64) throws {
        guard let pool = writer as? DatabasePool else { return try read(&random) }
        let snapshot = try pool.makeSnapshot()
        let before = try snapshot.read { db in try Int.fetchOne(db, sql: "SELECT n FROM total") }
        try write(&random)
        let after = try snapshot.read { db in
            try check(db)
            return try Int.fetchOne(db, sql: "SELECT n FROM total")
        }
        if before != after { problem("a snapshot changed") }
        if random.chance(2) { try snapshot.close() }
    }

    // MARK: - Observing

    /// Observes the number of writes, which never decreases.
    func observeTotal(_ values: Values<Int>) -> AnyDatabaseCancellable {
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT n FROM total") ?? -1
        }
        return observation.start(in: writer, scheduling: .inline, onError: { [self] in judge($0) }) {
            [self] value in
            if let last = values.all.last, value < last { problem("\(value) came after \(last)") }
            values.append(value)
        }
    }

    private func observe(_ random: inout SplitMix64) throws {
        let cancellable = observeTotal(Values())
        var copy = random
        ledger.withLock { ledger in
            ledger.cancellables.append(cancellable)
            guard ledger.cancellables.count > 5 else { return }
            ledger.cancellables.remove(at: Int.random(in: 0..<ledger.cancellables.count, using: &copy))
                .cancel()
        }
        random = copy
        try write(&random)
    }
}
