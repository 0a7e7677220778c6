import VigilEngine
import VigilStorage

/// The description of a query: what to select from which rows of a table, as a value.
///
/// It is independent of any database. ``ResolvedQuery`` is a query in a database.
package struct Query: Sendable {
    struct Limit: Sendable {
        var count: Int
        var offset: Int?
    }

    /// The name of the table, view or common table expression.
    package var table: String
    /// Whether the name is that of a common table expression.
    var isTableExpression = false
    /// The aliases that stand for the table.
    var aliases: [TableAliasBase] = []
    /// The parts of the selection, in their order.
    var selection: [Deferrable<[SQLSelection]>]
    var isDistinct = false
    /// The conditions that all rows meet.
    var filters: [Deferrable<SQLExpression>] = []
    var grouping: Deferrable<[SQLExpression]>?
    /// The conditions that all groups meet.
    var groupFilters: [Deferrable<SQLExpression>] = []
    var ordering: [Deferrable<[SQLOrdering]>] = []
    var isReversed = false
    var limit: Limit?
    var tableExpressions: [TableExpression] = []

    private static let allColumns: [Deferrable<[SQLSelection]>] = [.value([SQLSelection(.allColumns)])]

    /// Creates the query of all columns.
    package init(table: String) {
        self.table = table
        selection = Self.allColumns
    }

    package init(table: String, selection: Deferrable<[SQLSelection]>) {
        self.table = table
        self.selection = [selection]
    }

    /// Returns the query of the rows that also meet a condition.
    func filtered(by condition: SQLExpression) -> Query { with { $0.filters.append(.value(condition)) } }

    /// Returns the query with another order.
    func ordered(by terms: [any SQLOrderingTerm]) -> Query {
        let orderings = terms.map(\.sqlOrdering)
        return with {
            $0.ordering = [.value(orderings)]
            $0.isReversed = false
        }
    }

    /// Returns the query of at most `count` rows, after the first `offset` ones.
    func limited(to count: Int, offset: Int?) -> Query {
        with { $0.limit = Limit(count: count, offset: offset) }
    }

    /// Returns a copy that `change` has modified.
    func with(_ change: (inout Query) -> Void) -> Query {
        var query = self
        change(&query)
        return query
    }
}

/// A query in a database: its promises are resolved, and the metadata of its table is known.
struct ResolvedQuery {
    var table: QueryTable
    var aliases: [TableAliasBase]
    var selection: [SQLSelection]
    var isDistinct: Bool
    var filter: SQLExpression?
    var grouping: [SQLExpression]
    var groupFilter: SQLExpression?
    var ordering: [SQLOrdering]
    var limit: Query.Limit?
    var tableExpressions: [TableExpression]
}

extension Query {
    func resolved(_ db: Database) throws -> ResolvedQuery {
        let definesNames = isTableExpression || !tableExpressions.isEmpty
        guard definesNames || db.isRecording else { return try resolvedInScope(db) }
        return try withTableExpressions(db) { try db.withoutRecording { try resolvedInScope(db) } }
    }

    private func resolvedInScope(_ db: Database) throws -> ResolvedQuery {
        try ResolvedQuery(
            table: QueryTable.named(table, db), aliases: aliases, selection: resolvedSelection(db),
            isDistinct: isDistinct, filter: Self.conjunction(of: filters, db),
            grouping: grouping?.resolve(db) ?? [], groupFilter: Self.conjunction(of: groupFilters, db),
            ordering: resolvedOrdering(db), limit: limit, tableExpressions: tableExpressions)
    }

    private func resolvedSelection(_ db: Database) throws -> [SQLSelection] {
        // bench: request-build. One part is not copied.
        selection.count == 1 ? try selection[0].resolve(db) : try selection.flatMap { try $0.resolve(db) }
    }

    private func resolvedOrdering(_ db: Database) throws -> [SQLOrdering] {
        let terms =
            ordering.count == 1 ? try ordering[0].resolve(db) : try ordering.flatMap { try $0.resolve(db) }
        return isReversed ? try terms.map { try $0.reversed() } : terms
    }

    /// Runs `body` while names stand for the common table expressions of the query.
    private func withTableExpressions<T>(_ db: Database, _ body: () throws -> T) rethrows -> T {
        guard isTableExpression || !tableExpressions.isEmpty else { return try body() }
        let isUndefined =
            isTableExpression && !tableExpressions.contains { $0.name.isSameName(as: table) }
        return try db.withTableExpressions(
            tableExpressions, undefinedName: isUndefined ? table : nil, body)
    }

    /// Returns the only column of the primary key of the table that the query deletes from or updates.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or if its primary key has several columns.
    func writtenKeyColumn(_ db: Database) throws -> String {
        try withTableExpressions(db) {
            let table = try QueryTable.named(table, db)
            try table.checkMayBeWritten()
            return try table.primaryKeyColumn()
        }
    }

    private static func conjunction(of conditions: [Deferrable<SQLExpression>], _ db: Database) throws
        -> SQLExpression?
    {
        switch conditions.count {
        case 0: nil
        case 1: try conditions[0].resolve(db)
        default: .chain(.and, try conditions.map { try $0.resolve(db) })
        }
    }
}
