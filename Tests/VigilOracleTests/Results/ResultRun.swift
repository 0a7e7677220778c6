import Foundation
import Synchronization
import Vigil
import VigilRandomSQL
import VigilStorage
import VigilTesting

@testable import VigilEngine

/// Observes statements with aggregates and groups in plain closures while it writes, and compares each value
/// with fresh rows, types and bits included.
final class ResultRun {
    /// A started observation of one or two statements.
    private final class Observed: Sendable {
        let queries: [OracleQuery]
        let rankings: [ResultQuery.Ranking?]
        let value = Mutex<(rows: [[String]]?, error: String?)>((nil, nil))

        init(_ queries: [(OracleQuery, ResultQuery.Ranking?)]) {
            self.queries = queries.map(\.0)
            rankings = queries.map(\.1)
        }

        static func rows(_ query: OracleQuery, _ db: Database, isFresh: Bool) throws -> [String] {
            let statement =
                isFresh || query.source == .new
                ? try db.makeStatement(sql: query.sql) : try db.leaseStatement(sql: query.sql)
            let rows = try Row.fetchAll(statement, arguments: StatementArguments(query.values))
            return rows.map { $0.databaseValues.map(\.storageValue.sqlLiteral).joined(separator: ", ") }
        }

        func start(in writer: any DatabaseWriter) -> AnyDatabaseCancellable {
            ValueObservation.tracking { [queries] db in
                try queries.map { try Self.rows($0, db, isFresh: false) }
            }
            .coalescing(queries[0].fetchesEachCommit ? .never : .automatic).labeled(queries[0].sql)
            .start(
                in: writer, scheduling: InlineScheduler(),
                onError: { [self] error in value.withLock { $0.error = "\(error)" } },
                onChange: { [self] rows in value.withLock { $0.rows = rows } })
        }

        func complaint(_ db: Database, permitted: inout Bool) -> String? {
            let (rows, error) = value.withLock { $0 }
            let fresh = try? queries.map { try Self.rows($0, db, isFresh: true) }
            // An observation of a query that fails ends.
            if error != nil { return nil }
            if rows == fresh { return nil }
            if let rows, let fresh, permits(rows, fresh: fresh, db) {
                permitted = true
                return nil
            }
            return "it has \(rows ?? []), not \(fresh ?? [["failed"]])"
        }

        private func permits(_ rows: [[String]], fresh: [[String]], _ db: Database) -> Bool {
            zip(zip(queries, rankings), zip(rows, fresh)).allSatisfy { query, rows in
                let permitted = PermittedRows(query: query.0, ranking: query.1)
                return rows.0 == rows.1
                    || (try? permitted.contain(rows.0, fresh: rows.1, db)) == true
            }
        }
    }

    private let database: OracleDatabase
    private var writer: any DatabaseWriter { database.writer }
    private var world: ResultWorld
    private var observed: [Observed] = []
    private var cancellables: [AnyDatabaseCancellable] = []
    /// The statements with rows that are found by the values of rows of other tables.
    private var linked: Set<String> = []
    /// The statements without groups.
    private var ungrouped: Set<String> = []
    /// The observations with another permitted answer.
    private var open: Set<ObjectIdentifier> = []
    private(set) var tally = ResultTally()

    init(_ database: OracleDatabase) throws {
        self.database = database
        let hasFilter = database.writer.writeWithoutTransaction { db in
            (try? db.execute(sql: "SELECT COUNT(*) FILTER (WHERE 1) FROM sqlite_master")) != nil
        }
        world = ResultWorld(seed: database.seed, hasFilter: hasFilter)
        database.write(world.setUp())
    }

    deinit { cancellables.forEach { $0.cancel() } }

    /// Runs units of writes, and returns a reproducible description of the first wrong value, or `nil`.
    func run(units: Int, observationCount: Int) throws -> String? {
        makeObservations(observationCount)
        let early = observed.prefix(observationCount * 3 / 4)
        cancellables = early.map { $0.start(in: writer) }
        defer { count() }
        for unit in 0..<units {
            if unit == units / 3 {
                cancellables += observed[early.count...].map { $0.start(in: writer) }
            }
            if unit == units / 2, !cancellables.isEmpty { cancellables.removeFirst().cancel() }
            database.write(world.random.chance(40) ? [world.definition()] : world.writes())
            tally.writes += 1
            if skipsComparison() { continue }
            if database.hasOtherWriter, world.random.chance(4) { database.writeElsewhere(world.writes()) }
            try writer.waitForFetches()
            let started = unit >= units / 3 ? observed[...] : early
            let running = unit >= units / 2 ? started.dropFirst() : started
            if let failure = try database.failure({ complaint(running) }) { return failure }
        }
        return nil
    }

    /// Returns whether no values are compared after a write. A comparison takes longer than the write, and a
    /// wrong row stays until it is fetched again.
    private func skipsComparison() -> Bool {
        RandomTestSettings.isLong ? !world.random.chance(6) : world.random.chance(5)
    }

    private func complaint(_ observed: ArraySlice<Observed>) -> (text: String, mayBeLate: Bool)? {
        writer.writeWithoutTransaction { db in
            for query in observed {
                tally.compared += 1
                var permitted = false
                let complaint = query.complaint(db, permitted: &permitted)
                if permitted, open.insert(ObjectIdentifier(query)).inserted { tally.permitted += 1 }
                guard let complaint else { continue }
                let text = """
                    \(query.queries.map { "\($0.sql) \($0.values)" }.joined(separator: "\n"))
                    \(query.queries[0].fetchesEachCommit ? "each commit" : "coalescing"): \(complaint)
                    """
                return (text, false)
            }
            return nil
        }
    }

    private func makeObservations(_ count: Int) {
        writer.writeWithoutTransaction { db in
            var attempts = 0
            var queries: [(OracleQuery, ResultQuery.Ranking?)] = []
            while observed.count < count, attempts < count * 30 {
                attempts += 1
                let query = world.query()
                let sql = query.sql
                guard let statement = try? db.makeStatement(sql: sql) else { continue }
                guard let links = links(of: statement, db) else {
                    tally.refused += 1
                    continue
                }
                if !links.isEmpty { linked.insert(sql) }
                // In each world, values of other tables lead to contributions of the first result.
                if linked.isEmpty { continue }
                let values = (0..<query.parameterCount).map { _ in 2.databaseValue }
                let started = OracleQuery(
                    sql: sql, values: values, source: world.random.chance(4) ? .new : .kept,
                    fetchesEachCommit: world.random.chance(3), isPrecise: false, isOrdered: true)
                queries.append((started, query.ranking))
                // Some closures run several statements.
                if world.random.chance(4) { continue }
                observed.append(Observed(queries))
                if world.random.chance(6) { observed.append(Observed(queries)) }
                queries = []
            }
        }
        tally.queries = observed.count
    }

    /// Returns the links of a statement whose result can be kept; `nil` for others.
    private func links(of statement: Statement, _ db: Database) -> [ListPlan.Link]? {
        if case .plan(let plan) = statement.storage.groupPlan { return plan.contributions.links }
        guard let sql = statement.storage.orderedSQL, let ordered = try? db.makeStatement(sql: sql),
            case .plan(let plan) = ordered.storage.listPlan
        else { return nil }
        ungrouped.insert(statement.storage.sql)
        return plan.links
    }

    private func count() {
        for status in writer.observations {
            for result in status.results {
                tally.updates += result.updateCount
                if linked.contains(result.sql) { tally.linkedUpdates += result.updateCount }
                if ungrouped.contains(result.sql) { tally.rowUpdates += result.updateCount }
                for (reason, count) in result.fetchCounts { tally.fetches[reason, default: 0] += count }
            }
        }
    }
}

/// Counts of observations and updates, for the output of tests.
struct ResultTally: CustomStringConvertible {
    var queries = 0
    var refused = 0
    /// Transactions, single statements and changes of the schema.
    var writes = 0
    var compared = 0
    /// The observations that differed in what SQL leaves open.
    var permitted = 0
    var updates = 0
    /// The updates of statements with links.
    var linkedUpdates = 0
    /// The updates of statements without groups.
    var rowUpdates = 0
    var fetches: [String: Int] = [:]

    var description: String {
        "\(queries) observations (\(refused) statements without a plan), \(writes) writes, "
            + "\(compared) comparisons (\(permitted) observations with another permitted answer), \(updates) updates, \(linkedUpdates) of them with links and \(rowUpdates) without groups, \(fetches.sorted { $0.key < $1.key })"
    }

    static func += (a: inout ResultTally, b: ResultTally) {
        a.queries += b.queries
        a.refused += b.refused
        a.writes += b.writes
        a.compared += b.compared
        a.permitted += b.permitted
        a.updates += b.updates
        a.linkedUpdates += b.linkedUpdates
        a.rowUpdates += b.rowUpdates
        a.fetches.merge(b.fetches, uniquingKeysWith: +)
    }
}
