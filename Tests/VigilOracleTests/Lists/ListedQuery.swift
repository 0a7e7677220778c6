import Synchronization
import Vigil
import VigilStorage
import VigilTesting

@testable import VigilEngine

/// A query whose rows are observed as a list.
final class ListedQuery: Sendable {
    /// How the lists are delivered.
    enum Delivery: Equatable {
        case immediate, throttled
        /// To two observers, the second of which starts and ends again and again.
        case shared
    }

    private struct State {
        var replay = ListReplay<Row>()
        var secondReplay: ListReplay<Row>?
        /// The rows in sections of adjacent rows with equal first values.
        var sections = SectionReplay<Row>()
        var shared: SharedValueObservation<ObservedList<Row>>?
        var second: AnyDatabaseCancellable?
        var error: String?
        /// The number of delivered lists.
        var count = 0
        var hasStarted = false
    }

    /// The query with the order of the list.
    let query: OracleQuery
    private let base: OracleQuery
    /// The first plan of the query; `nil` if it is not followed row by row.
    private let plan: ListPlan?
    private let pause: ObservationPause?
    let delivery: Delivery
    private let state = Mutex(State())

    /// - Parameter order: text that sorts the rows, or nothing.
    init(
        _ base: OracleQuery, order: String, plan: ListPlan?, pause: ObservationPause? = nil,
        delivery: Delivery = .immediate
    ) {
        self.pause = pause
        self.delivery = delivery
        self.base = base
        query = OracleQuery(
            sql: base.sql + order, values: base.values, source: base.source,
            fetchesEachCommit: base.fetchesEachCommit, isPrecise: false, isOrdered: plan != nil)
        self.plan = plan
    }

    var isFollowed: Bool { plan != nil }
    var isWindow: Bool { plan?.window != nil }
    /// Whether rows of some tables lead to rows of the list by their values, and no table is watched.
    var isLinked: Bool { plan.map { !$0.links.isEmpty && $0.watched.isEmpty } ?? false }
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
        var observation = ValueObservation.trackingList(request)
            .coalescing(query.fetchesEachCommit ? .never : .automatic)
            .labeled("list: " + query.sql)
        if let pause { observation = observation.pausable(by: pause) }
        if delivery == .throttled { observation = observation.throttled(.milliseconds(1)) }
        let onError: @Sendable (any Error) -> Void = { [self] error in
            state.withLock { $0.error = "\(error)" }
        }
        let onChange: @Sendable (ObservedList<Row>) -> Void = { [self] list in
            state.withLock { state in
                state.replay.show(list)
                state.sections.show(list) { row in row.first.map { "\($0.1)" } ?? "" }
                state.count += 1
            }
        }
        guard delivery == .shared else {
            return observation.start(
                in: writer, scheduling: InlineScheduler(), onError: onError, onChange: onChange)
        }
        let shared = observation.shared(in: writer, scheduling: InlineScheduler())
        state.withLock { $0.shared = shared }
        let cancellable = shared.start(onError: onError, onChange: onChange)
        return AnyDatabaseCancellable { [self] in
            cancellable.cancel()
            let second = state.withLock { state in
                defer { (state.second, state.shared) = (nil, nil) }
                return state.second
            }
            second?.cancel()
        }
    }

    /// Ends the second observer of a shared observation, or starts it.
    func switchSecondObserver() {
        let (shared, second) = state.withLock { state in
            defer { (state.second, state.secondReplay) = (nil, nil) }
            return (state.shared, state.second)
        }
        guard let shared else { return }
        if let second { return second.cancel() }
        state.withLock { $0.secondReplay = ListReplay() }
        let new = shared.start(onError: { _ in }) { [self] list in
            state.withLock { $0.secondReplay?.show(list) }
        }
        state.withLock { $0.second = new }
    }

    private func statuses(in writer: any DatabaseWriter) -> [ObservationStatus] {
        writer.observations.filter { $0.label == "list: " + query.sql }
    }

    /// Describes the observations of the query, for failures.
    func statusTexts(in writer: any DatabaseWriter) -> String {
        statuses(in: writer).map { status in
            "\(status.phase), \(status.region?.debugDescription ?? "no region"), \(status.fetchCount) fetches, "
                + "\(status.sharedFetchCount) shared, \(status.skippedCount) skipped, commit "
                + "\(status.lastCommit?.description ?? "?"), \(status.list.map { "\($0)" } ?? "")"
        }.joined(separator: "\n")
    }

    /// Compares the list with fresh rows, and returns what is wrong.
    func complaint(_ db: Database, in writer: any DatabaseWriter) -> String? {
        let (list, complaint, error, second) = state.withLock {
            ($0.replay.shown, $0.replay.complaint ?? $0.sections.complaint, $0.error, $0.secondReplay)
        }
        // The observation of a query that fails ends.
        guard error == nil else { return nil }
        if let complaint { return complaint }
        if let second, let complaint = second.complaint { return "second observer: \(complaint)" }
        if let second, query.texts(Array(second.shown)) != query.texts(Array(list)) {
            return "the second observer has \(query.texts(Array(second.shown)))"
        }
        let rows = query.texts(Array(list))
        // Lists that are fetched as a whole have the order of their statement.
        let isFollowed = statuses(in: writer).allSatisfy { $0.list?.unfollowedReason == nil }
        guard let plan, isFollowed else {
            let fresh = query.freshRows(db, mayBeCached: false)
            return rows == fresh ? nil : "the list has \(rows), not \(fresh)"
        }
        let width = list.first?.count
        var ordered = base
        ordered.isOrdered = true
        let current = currentPlan(db) ?? plan
        let fresh = current.shown(ordered.freshRows(db, sql: current.orderedSQL, width: width))
        return rows == fresh ? nil : "the list has \(rows), not \(fresh)"
    }

    /// Returns the plan for the current schema, in which the columns of the query may have other positions.
    private func currentPlan(_ db: Database) -> ListPlan? {
        guard let statement = try? db.makeStatement(sql: query.sql) else { return nil }
        return statement.storage.plan
    }
}

extension StorageStatement {
    /// The plan of the result; `nil` if the list is fetched as a whole.
    var plan: ListPlan? { if case .plan(let plan) = listPlan { plan } else { nil } }
}

extension ListPlan {
    /// The statement for all rows in the promised order.
    fileprivate var orderedSQL: String {
        // The statement of a window sorts by the row ids. Its limit is a parameter.
        if window != nil { return String(sql.dropLast(" LIMIT ?1".count)) }
        let direction = terms.last?.isDescending == true ? "DESC" : "ASC"
        let ids = keyColumns.prefix(sources.count).map { "\($0 + 1) \(direction)" }
        return sql + (terms.isEmpty ? " ORDER BY " : ", ") + ids.joined(separator: ", ")
    }
}

extension ListPlan {
    /// Returns the rows that a window without parameters shows.
    fileprivate func shown(_ rows: [String]) -> [String] {
        guard let window, rows != ["failed"], let range = try? WindowRange(window, { _ in .null }) else {
            return rows
        }
        return Array(rows.dropFirst(range.offset).prefix(range.limit ?? rows.count))
    }
}

/// The names that a random order sorts by.
struct RandomSchemaColumns {
    let names: [String]
}
