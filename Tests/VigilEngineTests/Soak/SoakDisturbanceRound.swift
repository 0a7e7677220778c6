import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilTesting

/// Writers whose transactions end early in a database that is suspended and resumed, with readers and an
/// observation.
final class SoakDisturbanceRound: Sendable {
    struct Ledger {
        var nextID = 1
        var acknowledged: Set<Int> = []
        /// The rows of writes that threw. They must not be stored.
        var refused: Set<Int> = []
        var problems: [String] = []
        /// Why the observation ended, if it did.
        var observationError: (any Error)?
    }

    static let schema = SoakRound.schema + "CREATE TABLE taken(n UNIQUE); INSERT INTO taken VALUES (1);"
    private static let stepsOfAWorker = 60

    let writer: any DatabaseWriter
    let ledger = Mutex(Ledger())
    let values = Values<Int>()
    private let seed: UInt64

    init(_ writer: any DatabaseWriter, seed: UInt64) {
        self.writer = writer
        self.seed = seed
    }

    private typealias Step = @Sendable (inout SplitMix64) throws -> Void

    /// - Returns: whether all workers ended.
    func run(timeout: TimeInterval) -> Bool {
        let group = DispatchGroup()
        let steps: [Step] = [write, write, write, read, suspend]
        for (index, step) in steps.enumerated() {
            group.enter()
            Thread.detachNewThread { [self] in
                var random = SplitMix64(seed: seed &* 31 &+ UInt64(index))
                for _ in 0..<Self.stepsOfAWorker {
                    do { try step(&random) } catch { judge(error) }
                }
                group.leave()
            }
        }
        return group.wait(timeout: .now() + timeout) == .success
    }

    /// Records unexpected errors. Interruptions and refused statements are expected.
    private func judge(_ error: any Error) {
        if let code = (error as? DatabaseError)?.resultCode,
            [.SQLITE_ABORT, .SQLITE_INTERRUPT].contains(code)
        {
            return
        }
        problem("\(error)")
    }

    func problem(_ text: String) { ledger.withLock { $0.problems.append(text) } }

    // MARK: - Steps

    private func write(_ random: inout SplitMix64) throws {
        let id = ledger.withLock { ledger in
            defer { ledger.nextID += 1 }
            return ledger.nextID
        }
        let abort: String? =
            random.chance(2)
            ? nil
            : ["ROLLBACK", "INSERT OR ROLLBACK INTO taken VALUES (1)"][Int.random(in: 0...1, using: &random)]
        let isNested = random.chance(3)
        do {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id])
                if let abort {
                    if isNested {
                        try? db.inSavepoint {
                            try? db.execute(sql: abort)
                            return .commit
                        }
                    } else {
                        try? db.execute(sql: abort)
                    }
                    // The database must refuse all of these statements.
                    try? db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id])
                    try? db.execute(sql: "BEGIN")
                    try? db.execute(sql: "UPDATE total SET n = n + 1")
                } else {
                    try db.execute(sql: "UPDATE total SET n = n + 1")
                }
            }
            ledger.withLock { _ = $0.acknowledged.insert(id) }
            if abort != nil { problem("a write whose transaction was aborted did not throw") }
        } catch {
            ledger.withLock { _ = $0.refused.insert(id) }
            throw error
        }
    }

    private func read(_ random: inout SplitMix64) throws {
        try writer.read { db in
            let counts = try Row.fetchOne(
                db, sql: "SELECT (SELECT COUNT(*) FROM t) AS a, (SELECT n FROM total) AS b")
            guard let a: Int = counts?["a"], let b: Int = counts?["b"], a == b else {
                return problem("a read saw only half of a write: \(counts?.description ?? "nothing")")
            }
        }
    }

    private func suspend(_ random: inout SplitMix64) throws {
        guard random.chance(4) else { return try read(&random) }
        let (dbQueue, pool) = (writer as? DatabaseQueue, writer as? DatabasePool)
        dbQueue?.suspend()
        pool?.suspend()
        defer {
            dbQueue?.resume()
            pool?.resume()
        }
        do {
            try writer.write { db in try db.execute(sql: "UPDATE total SET n = n") }
            problem("a suspended database was written to")
        } catch {
            judge(error)
        }
        if pool != nil { try read(&random) }
    }

    /// Observes the number of writes, which never decreases.
    func observe() -> AnyDatabaseCancellable {
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT n FROM total") ?? -1
        }
        return observation.start(
            in: writer, scheduling: .inline,
            onError: { [self] error in
                ledger.withLock { $0.observationError = error }
                judge(error)
            },
            onChange: { [self] value in
                if let last = values.all.last, value < last { problem("\(value) came after \(last)") }
                values.append(value)
            })
    }
}
