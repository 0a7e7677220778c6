import Synchronization
import Vigil
import VigilStorage
import VigilTesting

@testable import VigilEngine

/// A query whose rows are observed as a list.
final class ListedQuery: Sendable {
    private struct State {
        var replay = ListReplay<Row>()
        var rows: [String]?
        var error: String?
        /// The number of delivered lists.
        var count = 0
        var hasStarted = false
    }

    /// The query with the order of the list.
    let query: OracleQuery
    private let base: OracleQuery
    /// The query in the promised order; `nil` if it is not followed row by row.
    private let orderedSQL: String?
    private let pause: ObservationPause?
    private let state = Mutex(State())

    /// - Parameter order: text that sorts the rows, or nothing.
    init(_ base: OracleQuery, order: String, plan: ResultPlan?, pause: ObservationPause? = nil) {
        self.pause = pause
        self.base = base
        query = OracleQuery(
            sql: base.sql + order, values: base.values, source: base.source,
            fetchesEachCommit: base.fetchesEachCommit, isPrecise: false, isOrdered: plan != nil)
        orderedSQL = plan.map { plan in
            let direction = plan.terms.last?.isDescending == true ? "DESC" : "ASC"
            let ids = plan.sources.indices.map { "\"vigil.\($0 + 1)\" \(direction)" }.joined(separator: ", ")
            return plan.sql + (plan.terms.isEmpty ? " ORDER BY " : ", ") + ids
        }
    }

    var isFollowed: Bool { orderedSQL != nil }
    var error: String? { state.withLock { $0.error } }
    var hasStarted: Bool { state.withLock { $0.hasStarted } }
    var count: Int { state.withLock { $0.count } }

    static func orders(_ schema: RandomSchemaColumns, _ random: inout SplitMix64) -> [String] {
        (0..<5).map { _ in
            let terms = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                let name = schema.names.randomElement(using: &random) ?? "rowid"
                let column = random.chance(3) ? name : "x\(Int.random(in: 1...2, using: &random)).\(name)"
                let collation = ["", "", " COLLATE NOCASE", " COLLATE BINARY"].randomElement(using: &random)
                let direction = ["", " DESC", " ASC"].randomElement(using: &random)
                let nulls = ["", "", "", " NULLS LAST", " NULLS FIRST"].randomElement(using: &random)
                return (random.chance(8) ? "1" : column) + (collation ?? "") + (direction ?? "")
                    + (nulls ?? "")
            }
            return "\nORDER BY " + terms.joined(separator: ", ")
        } + [""]
    }

    func start(in writer: any DatabaseWriter) -> AnyDatabaseCancellable {
        state.withLock { $0.hasStarted = true }
        let request = SQLRequest<Row>(sql: query.sql, arguments: StatementArguments(query.values))
        let observation = ValueObservation.trackingList(request)
        return (pause.map { observation.pausable(by: $0) } ?? observation)
            .coalescing(query.fetchesEachCommit ? .never : .automatic)
            .labeled("list: " + query.sql)
            .start(
                in: writer, scheduling: InlineScheduler(),
                onError: { [self] error in state.withLock { $0.error = "\(error)" } },
                onChange: { [self] list in
                    state.withLock { state in
                        state.replay.show(list)
                        state.count += 1
                    }
                })
    }

    /// Describes the observations of the query, for failures.
    func statusTexts(in writer: any DatabaseWriter) -> String {
        writer.observations.filter { $0.label == "list: " + query.sql }.map { status in
            "\(status.phase), \(status.region?.debugDescription ?? "no region"), \(status.fetchCount) fetches, "
                + "\(status.sharedFetchCount) shared, \(status.skippedCount) skipped, commit "
                + "\(status.lastCommit?.description ?? "?"), \(status.list.map { "\($0)" } ?? "")"
        }.joined(separator: "\n")
    }

    /// Compares the list with fresh rows, and returns what is wrong.
    func complaint(_ db: Database) -> String? {
        let (list, complaint, error) = state.withLock { ($0.replay.shown, $0.replay.complaint, $0.error) }
        // The observation of a query that fails ends.
        guard error == nil else { return nil }
        if let complaint { return complaint }
        let rows = query.texts(Array(list))
        guard let orderedSQL else {
            let fresh = query.freshRows(db, mayBeCached: false)
            return rows == fresh ? nil : "the list has \(rows), not \(fresh)"
        }
        let width = list.first?.count
        var ordered = base
        ordered.isOrdered = true
        let fresh = ordered.freshRows(db, sql: orderedSQL, width: width)
        return rows == fresh ? nil : "the list has \(rows), not \(fresh)"
    }
}

/// The names that a random order sorts by.
struct RandomSchemaColumns {
    let names: [String]
}
