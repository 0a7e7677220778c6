import VigilLists
import VigilRegions
import VigilStorage

/// The statements that keep the result of a statement up to date on one connection.
///
/// They belong to the statement, and are planned once for it.
final class LiveQuery {
    /// The plan of the groups; `nil` without groups, or if they cannot be kept.
    let shape: GroupShape?
    /// The revision of the accesses of the planned statement.
    let revision: Int
    /// All contributions; `nil` without a plan.
    private let all: Statement?
    /// For each followed source, the contributions of one of its rows.
    private let rows: [Statement?]
    /// The rows found by values; `nil` without links.
    let links: LinkSearch?
    /// The expressions of a group.
    private let evaluation: Statement?
    /// The statement whose rows are kept as a list, if there are no groups.
    let list: Statement?

    init(planning statement: Statement, _ db: Database) throws {
        revision = statement.storage.accessRevision
        guard case .plan(let plan) = statement.storage.groupPlan else {
            (shape, all, rows, links, evaluation) = (nil, nil, [], nil, nil)
            list = try statement.storage.orderedSQL.flatMap { sql in
                let ordered = try db.makeStatement(sql: sql, isCached: true)
                return try ordered.listQuery().followsRows ? ordered : nil
            }
            return
        }
        list = nil
        shape = GroupShape(plan)
        all = try db.makeStatement(sql: plan.contributions.sql, isCached: true)
        rows = try plan.contributions.sources.map { source in
            try source.rowSQL.map { try db.makeStatement(sql: $0, isCached: true) }
        }
        links = try LinkSearch(plan.contributions, db)
        evaluation = try plan.evaluationSQL.map { try db.makeStatement(sql: $0, isCached: true) }
    }

    /// Whether the result can be kept up to date.
    var isPlanned: Bool { all != nil || list != nil }

    /// Returns all contributions; `nil` if they need more memory than the limit.
    func fetchAll(
        _ arguments: [DatabaseValue], into contributions: consuming FetchedContributions, byteLimit: Int
    ) throws -> FetchedContributions? {
        guard let all else { return nil }
        let run = try RunningStatement(all, arguments: Self.arguments(arguments, of: all))
        while let cells = try run.step() {
            contributions.append(cells)
            if contributions.byteCount > byteLimit { return nil }
        }
        return contributions
    }

    /// The number of rows after which their cost is compared with the limit.
    private static let costInterval = 256

    /// Returns the contributions of some rows; `nil` if their cost exceeds the limit.
    func fetch(
        _ rowIDs: [Set<Int64>], _ arguments: [DatabaseValue], costLimit: Int,
        into contributions: consuming FetchedContributions
    ) throws -> FetchedContributions? {
        var cost = 0
        for (source, rowIDs) in rowIDs.enumerated() where !rowIDs.isEmpty {
            guard let statement = rows[source] else { continue }
            // The last parameter is the row id.
            if !arguments.isEmpty || !statement.bound.isComplete || statement.bound.error != nil {
                try statement.setArguments(Self.arguments(arguments + [.null], of: statement))
            }
            _ = statement.storage.resetWork()
            // Neighbours are on the same pages.
            let ordered = rowIDs.count > 1 ? rowIDs.sorted() : Array(rowIDs)
            for (index, rowID) in ordered.enumerated() {
                if index > 0, index.isMultiple(of: Self.costInterval) {
                    cost += statement.storage.resetWork() ?? 0
                    if cost > costLimit { return nil }
                }
                try statement.bindLast(rowID)
                try statement.forEachRow { row in
                    contributions.append(row.cells)
                    return true
                }
            }
            cost += statement.storage.resetWork() ?? 0
        }
        return contributions
    }

    /// Returns the rows that changes lead to by links.
    func linkedRows(_ changes: ChangeSet, costLimit: Int) throws -> LinkedRows {
        guard let links, let shape else { return LinkedRows() }
        return try links.rows(
            after: changes, by: Array(shape.plan.contributions.links.indices), costLimit: costLimit)
    }

    /// Computes the expressions of a group.
    func evaluate(
        _ results: [StorageCell], _ arguments: [DatabaseValue], into expressions: inout [UInt8]
    ) throws -> Bool {
        guard let evaluation, let shape else { return true }
        let values =
            try arguments
            + results.map { cell in
                guard let value = cell.exactValue else { throw GroupFailure.invalidText }
                return DatabaseValue(value)
            }
        let run = try RunningStatement(evaluation, arguments: Self.arguments(values, of: evaluation))
        guard let cells = try run.step() else { return false }
        for index in 0..<shape.plan.expressionCount { PackedValues.append(cells[index], to: &expressions) }
        return true
    }

    /// Returns the arguments of a statement that may use fewer parameters than there are values.
    private static func arguments(
        _ values: [DatabaseValue], of statement: Statement
    ) -> StatementArguments {
        StatementArguments(databaseValues: Array(values.prefix(statement.parameterCount)))
    }
}
