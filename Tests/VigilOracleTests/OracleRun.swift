import Foundation
import Vigil
import VigilRandomSQL
import VigilStorage
import VigilTesting

@testable import VigilEngine

/// Observes the queries of a world while it is written to, and compares each value with a fresh fetch.
final class OracleRun {
    private let setting: OracleSetting
    private let writer: any DatabaseWriter
    private let runner: StatementRunner
    /// Another connection that writes to the same file, if any.
    private let other: OtherWriter?
    private let directory: String
    private var world: OracleWorld
    private var writes: RandomWrites
    private var random: SplitMix64
    private var observed: [ObservedQuery] = []
    private var lists: [ListedQuery] = []
    private var cancellables: [AnyDatabaseCancellable] = []
    /// The last fresh rows of each query.
    private var fresh: [[String]] = []
    /// The executed statements, for reproducing a failure.
    private var history: [String] = []
    private(set) var tallies = OracleTallies()
    /// Whether the library corrupted the database file.
    private(set) var isBroken = false

    init(_ setting: OracleSetting, seed: UInt64, queryCount: Int) throws {
        self.setting = setting
        directory = NSTemporaryDirectory() + "vigil-oracle-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let writer = try setting.open(directory, seed: seed)
        self.writer = writer
        runner = StatementRunner(writer)
        let features = try OracleRun.features(writer)
        world = try OracleWorld(
            seed: seed, second: setting.second, features, queryCount: queryCount,
            hazards: setting.hazards.filter { $0.exists(features, isPool: setting.isPool) },
            setUp: { setUp in
                writer.writeWithoutTransaction { db in
                    // Some statements fail: row ids cannot be text, and some triggers raise errors.
                    for sql in setUp { try? db.execute(sql: sql) }
                }
            },
            compile: { sql in
                writer.writeWithoutTransaction { db in
                    (try? db.makeStatement(sql: sql).storage).map { CompiledQuery($0) }
                }
            })
        writes = world.writes
        random = world.random
        other = try setting.hasOtherWriter ? OtherWriter(setting.openOther(directory)) : nil
    }

    deinit {
        cancellables.forEach { $0.cancel() }
        other?.close()
        try? writer.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    static func features(_ writer: any DatabaseWriter) throws -> SQLFeatures {
        try writer.writeWithoutTransaction { db in
            let limit = "SELECT sqlite_compileoption_used('ENABLE_UPDATE_DELETE_LIMIT')"
            return SQLFeatures(
                libraryVersion: try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "",
                hasLimitedWrites: try Bool.fetchOne(db, sql: limit) ?? false)
        }
    }

    // MARK: - The run

    /// Runs units of writes, and returns a reproducible description of the first missed change, or `nil`.
    func run(units: Int) throws -> String? {
        observed = world.queries.map { ObservedQuery($0) }
        tallies.all.queries = observed.count
        // Lists in half of the worlds, because they take time.
        lists = world.seed.isMultiple(of: 2) ? listedQueries() : []
        tallies.lists.queries = lists.count
        tallies.lists.followed = lists.count { $0.isFollowed }
        cancellables = observed.map { $0.start(in: writer) } + lists.map { $0.start(in: writer) }
        defer { countLists() }
        try writer.waitForFetches()
        fresh = freshRows()
        if let failure = failure(after: []) { return failure }
        observed.forEach { $0.beginCounting() }
        for _ in 0..<units {
            let (before, fetches) = (fresh, observed.map(\.fetches))
            let (done, isDefinition) = try write()
            tallies.all.commits += 1
            if isDefinition { updateColumns() } else { count(before, fetches) }
            if let failure = runner.takeFinding().map({ written($0, after: done) })
                ?? failure(after: done, before)
            {
                isBroken = !isIntact()
                return isBroken ? nil : failure
            }
            history += done
        }
        return nil
    }

    /// Returns the queries as lists, with random orders.
    private func listedQueries() -> [ListedQuery] {
        var random = SplitMix64(seed: world.seed ^ 0x5555_5555)
        let names = ["rowid"] + world.schema.tables.flatMap { $0.columns + $0.generated }.map { "\"\($0)\"" }
        return writer.writeWithoutTransaction { db in
            world.queries.compactMap { query in
                for order in ListedQuery.orders(RandomSchemaColumns(names: names), &random) {
                    guard let statement = try? db.makeStatement(sql: query.sql + order) else { continue }
                    let report = statement.storage.listPlan
                    if case .plan(let plan) = report { return ListedQuery(query, order: order, plan: plan) }
                    if order.isEmpty { return ListedQuery(query, order: order, plan: nil) }
                }
                return nil
            }
        }
    }

    private func countLists() {
        for list in lists { tallies.lists.states += list.count }
        for status in writer.observations {
            guard let list = status.list else { continue }
            tallies.lists.rowFetches += list.rowFetchCount
            for (reason, count) in list.fullFetchCounts {
                tallies.lists.fullFetches[reason, default: 0] += count
            }
        }
    }

    /// Runs one unit of writes, and waits until all observations are up to date.
    ///
    /// - Returns: The executed statements, and whether they may have changed the schema.
    private func write() throws -> (done: [String], isDefinition: Bool) {
        if let other, random.chance(3) {
            let unit = writes.unitOfMain(&random)
            var done = other.run(unit)
            var isDefinition = unit.contains(where: \.isDefinition)
            if random.chance(2) {
                // This write may run before the commit of the other connection is detected.
                let unit = writes.unit(&random)
                done += runner.run(unit)
                isDefinition = isDefinition || unit.contains(where: \.isDefinition)
            }
            try awaitQuiet()
            return (done, isDefinition)
        }
        if let unit = world.hazardUnit() { return try write(unit) }
        let unit = try trimming() ?? writes.unit(&random)
        let done = runner.run(unit)
        try writer.waitForFetches()
        fresh = freshRows()
        return (done, unit.contains(where: \.isDefinition))
    }

    private func write(_ unit: Hazard.Unit) throws -> (done: [String], isDefinition: Bool) {
        let before = fresh
        let (done, isRefused) =
            unit.isBlock ? runner.runBlock(unit.statements) : (runner.run(unit.statements), false)
        try writer.waitForFetches()
        fresh = freshRows()
        if isRefused, fresh != before { runner.find("a write that threw left changes") }
        return (done, unit.statements.contains(where: \.isDefinition))
    }

    private func count(_ before: [[String]], _ fetches: [Int]) {
        for (index, observation) in observed.enumerated() {
            var tally = OracleTally()
            tally.fetches = observation.fetches - fetches[index]
            tally.needed = before[index] == fresh[index] ? 0 : 1
            tallies.all += tally
            if observation.query.isPrecise { tallies.precise += tally }
        }
    }

    /// Returns a deletion from a table that has grown too large for joins, if any.
    private func trimming() throws -> [RandomWrites.Statement]? {
        for table in writes.schema.tables where !table.isView {
            let name = table.qualifiedName
            let count = writer.writeWithoutTransaction { db in
                try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(name)")
            }
            guard let count, count > 12 else { continue }
            return [
                .init(
                    sql: "DELETE FROM \(name) WHERE \(table.key) IN "
                        + "(SELECT \(table.key) FROM \(name) ORDER BY 1 LIMIT 8)")
            ]
        }
        return nil
    }

    /// Reads the columns of the tables after a change of the schema.
    private func updateColumns() {
        writer.writeWithoutTransaction { db in
            writes.updateColumns { table in
                let sql = "PRAGMA \(table.schema ?? "main").table_info(\(table.name))"
                return (try? Row.fetchAll(db, sql: sql).map { $0["name"] }) ?? []
            }
        }
    }

    /// Waits until changes by the other connection, which are detected with a delay, have been delivered.
    private func awaitQuiet() throws {
        let end = Date() + 20
        repeat {
            try writer.waitForFetches()
            fresh = freshRows()
        } while failure(after: []) != nil && Date() < end
    }

    /// Returns the fresh rows of each query. Hazards can mix up cached statements; without hazards,
    /// statements are cached, because old libraries compile slowly.
    private func freshRows() -> [[String]] {
        let mayBeCached = setting.hazards.isEmpty
        return writer.writeWithoutTransaction { db in
            world.queries.map { $0.freshRows(db, mayBeCached: mayBeCached) }
        }
    }

    // MARK: - Failures

    /// Returns whether the indexes are complete. Old libraries lose index entries even without observations,
    /// as SQLite 3.15 does after updates of REAL columns with large integers. Reads of such an index are not
    /// predictable.
    private func isIntact() -> Bool {
        writer.writeWithoutTransaction { db in
            let report = try? String.fetchAll(db, sql: "PRAGMA integrity_check")
            // Violated constraints are expected: some rows were written while constraints were disabled.
            return report?.allSatisfy {
                $0.contains("FTS") || !$0.contains("index") && !$0.contains("malformed")
            } ?? false
        }
    }

    private func region(of query: OracleQuery) -> String {
        writer.observations.first { $0.label == query.sql }?.region?.debugDescription ?? "nothing"
    }

    private func failure(after unit: [String], _ before: [[String]] = []) -> String? {
        for (index, observation) in observed.enumerated() where observation.last != fresh[index] {
            let error = writer.writeWithoutTransaction { db in observation.query.error(db) }
            return """
                \(setting.description), VIGIL_SEED=\(world.seed)
                query: \(observation.query.sql)
                values: \(observation.query.values)
                region: \(region(of: observation.query)), \
                \(observation.query.fetchesEachCommit ? "each commit" : "coalescing")
                before: \(before.isEmpty ? [] : before[index])
                observed: \(observation.last ?? [])\(observation.error.map { ", failed: \($0)" } ?? "")
                fresh: \(fresh[index])\(error.map { ", failed: \($0)" } ?? "")
                \(written(unit))
                """
        }
        return listFailure(after: unit)
    }

    private func listFailure(after unit: [String]) -> String? {
        writer.writeWithoutTransaction { db in
            for list in lists {
                guard let complaint = list.complaint(db, in: writer) else { continue }
                return """
                    \(setting.description), VIGIL_SEED=\(world.seed)
                    list: \(list.query.sql), \(list.query.fetchesEachCommit ? "each commit" : "coalescing")
                    \(list.statusTexts(in: writer))
                    values: \(list.query.values)
                    \(complaint)
                    \(written(unit))
                    """
            }
            return nil
        }
    }

    /// Returns the description of a finding that is not about a single query.
    private func written(_ finding: String, after unit: [String]) -> String {
        "\(setting.description), VIGIL_SEED=\(world.seed)\n\(finding)\n\(written(unit))"
    }

    private func written(_ unit: [String]) -> String {
        """
        the writes:
        \(unit.joined(separator: ";\n"))
        after these:
        \((world.sql + history).joined(separator: ";\n"))
        """
    }
}
