import Foundation
import Synchronization
import Vigil
import VigilTesting
import XCTest

/// Tests that each list shows the state after one commit, while a writer commits without pause.
///
/// ``RandomTestSettings`` lists the settings; `VIGIL_SEED` is the seed of the writes.
final class ListSnapshotTests: XCTestCase {
    private static let accounts = 120

    /// Two rows of the result show the same state of `bank`, and each transfer keeps the sum of all accounts.
    private static let queries = [
        "SELECT id, amount FROM account ORDER BY amount DESC, id",
        "SELECT account.id, account.amount, bank.name FROM account JOIN bank ON bank.id = account.bank ORDER BY account.id",
        "SELECT a.id, b.id, a.amount + b.amount FROM account a, account b WHERE b.id = a.partner ORDER BY a.amount",
    ]

    /// The results of a query after each commit.
    private final class States: Sendable {
        private struct Known {
            var numbers: [[String]: [Int]] = [:]
            var last = 0
        }
        private let known = Mutex(Known())

        func append(_ rows: [String], commit: Int) {
            known.withLock { $0.numbers[rows, default: []].append(commit) }
        }

        /// Returns what is wrong with a delivered result: that it never existed, or precedes another one.
        func complaint(about rows: [String]) -> String? {
            known.withLock { known in
                guard let numbers = known.numbers[rows] else { return "no commit led to \(rows)" }
                guard let next = numbers.first(where: { $0 >= known.last }) else {
                    return "\(rows) is outdated"
                }
                known.last = next
                return nil
            }
        }
    }

    private static func texts(_ rows: some Sequence<Row>) -> [String] {
        rows.map { $0.databaseValues.map(\.description).joined(separator: ",") }
    }

    private func assertShowsCommits(
        _ writer: any DatabaseWriter, seed: UInt64, seconds: TimeInterval, commits: Int
    ) throws -> Int {
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE bank(id INTEGER PRIMARY KEY, name);
                    CREATE TABLE account(id INTEGER PRIMARY KEY, bank, partner, amount);
                    INSERT INTO bank VALUES (1, 0), (2, 0)
                    """)
            for id in 1...Self.accounts {
                try db.execute(
                    sql: "INSERT INTO account VALUES (?, ?, ?, 100)",
                    arguments: [id, id % 2 + 1, id % Self.accounts + 1])
            }
        }
        let states = Self.queries.map { _ in States() }
        let requests = Self.queries.map { SQLRequest<Row>(sql: $0) }
        func note(_ db: Database, _ commit: Int) throws {
            for (state, request) in zip(states, requests) {
                state.append(Self.texts(try request.fetchAll(db)), commit: commit)
            }
        }
        try writer.read { db in try note(db, 0) }
        let complaints = Recorder<String>()
        let count = Atomic<Int>(0)
        let cancellables = zip(states, requests).flatMap { states, request in
            // The values of several observations are in order one by one.
            [ObservationCoalescing.automatic].map { coalescing in
                ValueObservation.trackingList(request).coalescing(coalescing).start(
                    in: writer, scheduling: .inline, onError: { complaints.append("\($0)") },
                    onChange: { list in
                        count.add(1, ordering: .relaxed)
                        if let complaint = states.complaint(about: Self.texts(list)) {
                            complaints.append(complaint)
                        }
                    })
            }
        }
        var random = SplitMix64(seed: seed)
        let end = Date() + seconds
        var commit = 0
        while (commit < commits || Date() < end) && complaints.all.isEmpty {
            commit += 1
            try writer.write { db in
                let ids = (0..<2).map { _ in Int.random(in: 1...Self.accounts, using: &random) }
                let sum = Int.random(in: 1...50, using: &random)
                if random.chance(10) {
                    try db.execute(sql: "UPDATE bank SET name = ?", arguments: [commit])
                } else {
                    try db.execute(
                        sql: "UPDATE account SET amount = amount - ? WHERE id = ?", arguments: [sum, ids[0]])
                    try db.execute(
                        sql: "UPDATE account SET amount = amount + ? WHERE id = ?", arguments: [sum, ids[1]])
                }
                try note(db, commit)
            }
        }
        try writer.waitForFetches()
        for complaint in complaints.all.prefix(3) { XCTFail("VIGIL_SEED=\(seed): \(complaint)") }
        // A round that contains many commits fetches all rows, so their number depends on the time.
        let rowFetches = writer.observations.reduce(0) { $0 + ($1.list?.rowFetchCount ?? 0) }
        print("list snapshots: \(rowFetches) fetches of rows")
        cancellables.forEach { $0.cancel() }
        return count.load(ordering: .relaxed)
    }

    func testEachListShowsOneCommit() throws {
        let (seed, seconds) = (RandomTestSettings.seed, RandomTestSettings.soakSeconds ?? 0)
        print("list snapshots: VIGIL_SEED=\(seed)")
        for (name, backend) in testedBackends {
            var configuration = Configuration()
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            let pool = try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration)
            let count = try assertShowsCommits(
                pool, seed: seed, seconds: seconds, commits: RandomTestSettings.rounds(50))
            print("list snapshots: \(name), \(count) lists")
        }
    }
}
