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

    package init(table: String, selection: Deferrable<[SQLSelection]> = .value([SQLSelection(.allColumns)])) {
        self.table = table
        self.selection = [selection]
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
        try withTableExpressions(db) { try resolvedInScope(db) }
    }

    private func resolvedInScope(_ db: Database) throws -> ResolvedQuery {
        try db.withoutRecording {
            var resolved = ResolvedQuery(
                table: try QueryTable.named(table, db), aliases: aliases,
                selection: selection.count == 1 ? try selection[0].resolve(db) : [], isDistinct: isDistinct,
                filter: try Self.conjunction(of: filters, db), grouping: try grouping?.resolve(db) ?? [],
                groupFilter: try Self.conjunction(of: groupFilters, db), ordering: [], limit: limit,
                tableExpressions: tableExpressions)
            if selection.count > 1 {
                for part in selection { resolved.selection += try part.resolve(db) }
            }
            for part in ordering {
                let terms = try part.resolve(db)
                resolved.ordering += isReversed ? try terms.map { try $0.reversed() } : terms
            }
            return resolved
        }
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
