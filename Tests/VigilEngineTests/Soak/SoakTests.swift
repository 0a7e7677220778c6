import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilTesting
import XCTest

/// Threads and tasks that use one database concurrently, for some rounds; `Scripts/soak` runs them longer.
final class SoakTests: XCTestCase {
    /// The number of rounds with each library in the test suite.
    private static let count = 3

    func testConcurrentUseLosesNoWriteAndDoesNotDeadlock() throws {
        let seed = RandomTestSettings.seed
        print("soak: VIGIL_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        let start = Date()
        var rounds = 0
        while RandomTestSettings.goesOn(after: rounds / testedBackends.count, of: Self.count, since: start) {
            for (name, backend) in testedBackends {
                let isPool = !random.chance(3)
                let readers = Int.random(in: 1...5, using: &random)
                let problems = try round(backend, isPool: isPool, readers: readers, seed: random.next())
                rounds += 1
                guard problems.isEmpty else {
                    return XCTFail(
                        """
                        round \(rounds) on \(name), \(isPool ? "pool of \(readers)" : "queue"), \
                        VIGIL_SEED=\(seed): \(problems.prefix(10).joined(separator: "\\n"))
                        """)
                }
            }
        }
        print("soak: \(rounds) rounds")
    }

    private func round(
        _ backend: any StorageBackend, isPool: Bool, readers: Int, seed: UInt64
    ) throws -> [String] {
        let directory = try TemporaryDirectory()
        let path = directory.file("db")
        var configuration = Configuration()
        configuration.backend = backend
        configuration.maximumReaderCount = readers
        configuration.maximumKeptStatementCount = [100, 0, 2][Int(seed % 3)]
        var problems: [String] = []
        weak var leaked: AnyObject?
        let expected: SoakRound.Ledger
        do {
            let writer: any DatabaseWriter =
                isPool
                ? try DatabasePool(path: path, configuration: configuration)
                : try DatabaseQueue(path: path, configuration: configuration)
            leaked = writer
            try writer.write { db in try db.execute(sql: SoakRound.schema) }
            let round = SoakRound(writer, seed: seed)
            let values = Values<Int>()
            let observation = round.observeTotal(values)
            guard round.run(timeout: 2 * testTimeout) else {
                return ["no progress: \(round.ledger.withLock { $0.doing })"]
            }
            if !round.wasClosed {
                let total = try writer.read { db in try Int.fetchOne(db, sql: "SELECT n FROM total") }
                if !eventually({ values.all.last == total }) {
                    problems.append("the last value is \(values.all.last ?? -1), not \(total ?? -1)")
                }
            }
            observation.cancel()
            round.ledger.withLock { $0.cancellables = [] }
            try writer.close()
            expected = round.ledger.withLock { $0 }
        }
        problems += expected.problems
        if !eventually({ leaked == nil }) { problems.append("the database was not released") }
        if !eventually({ openFiles(in: directory.path).isEmpty }) {
            problems.append("files are open: \(openFiles(in: directory.path))")
        }
        return try problems + check(path, configuration, expected)
    }

    /// Checks the final content of the file.
    private func check(
        _ path: String, _ configuration: Configuration, _ expected: SoakRound.Ledger
    ) throws -> [String] {
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        return try dbQueue.read { db in
            var problems: [String] = []
            let rows = Set(try Int.fetchAll(db, sql: "SELECT id FROM t"))
            let lost = expected.acknowledged.subtracting(rows)
            if !lost.isEmpty { problems.append("lost: \(lost.sorted())") }
            let undead = rows.intersection(expected.refused)
            if !undead.isEmpty { problems.append("written although it threw: \(undead.sorted())") }
            let total = try Int.fetchOne(db, sql: "SELECT n FROM total")
            if total != rows.count { problems.append("\(rows.count) rows, but a total of \(total ?? -1)") }
            let integrity = try String.fetchOne(db, sql: "PRAGMA integrity_check")
            if integrity != "ok" { problems.append(integrity ?? "no answer") }
            return problems
        }
    }

    /// Returns the files of a directory that this process has open, on systems that list them.
    private func openFiles(in directory: String) -> [String] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }.filter { $0.hasPrefix(directory) }
    }
}
