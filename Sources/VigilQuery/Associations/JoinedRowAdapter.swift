import VigilEngine
import VigilRegions
import VigilStorage

// The rows of a request with joins have the columns of the request's table, and a scope for each joined
// table.
extension ResolvedQuery {
    /// Returns the adapter with a scope for each joined table; `nil` if no columns of such tables are
    /// selected.
    ///
    /// - Parameter columnCount: The number of columns of the statement.
    /// - Throws: `DatabaseError` if the number of columns of a table is unknown.
    func rowAdapter(columnCount: Int) throws -> (any RowAdapter)? {
        guard hasJoins else { return nil }
        var counter = ColumnCounter()
        for alias in aliases { counter.tables[alias] = table }
        for join in joins { join.collectTables(into: &counter.tables) }
        try counter.count(selection, of: table)
        for join in joins { try join.countColumns(&counter) }
        var counts = try counter.counts(total: columnCount, of: table.name)[...]
        let own = counts.popFirst() ?? 0
        var end = own
        let scopes = joins.scopes(&counts, &end)
        return scopes.isEmpty ? nil : RangeRowAdapter(0..<own).addingScopes(scopes)
    }
}

extension [ResolvedJoin] {
    /// Returns the adapters of the joined tables, except tables without selected columns in them and in their
    /// inner tables.
    fileprivate func scopes(_ counts: inout ArraySlice<Int>, _ end: inout Int) -> [String: any RowAdapter] {
        var scopes: [String: any RowAdapter] = [:]
        for join in self {
            let start = end
            end += counts.popFirst() ?? 0
            let own = start..<end
            let inner = join.joins.scopes(&counts, &end)
            guard !own.isEmpty || !inner.isEmpty else { continue }
            scopes[join.key] = RangeRowAdapter(own).addingScopes(inner)
        }
        return scopes
    }
}

extension ResolvedJoin {
    fileprivate func collectTables(into tables: inout [TableAliasBase: QueryTable]) {
        for alias in aliases { tables[alias] = table }
        for join in joins { join.collectTables(into: &tables) }
    }

    fileprivate func countColumns(_ counter: inout ColumnCounter) throws {
        try counter.count(selection, of: table)
        for join in joins { try join.countColumns(&counter) }
    }
}

/// Counts the columns selected from each table of a query.
private struct ColumnCounter {
    /// The tables by alias.
    var tables: [TableAliasBase: QueryTable] = [:]
    /// For each table, the number of columns outside of SQL literals, and the number of literals.
    private var parts: [(known: Int, literals: Int)] = []

    mutating func count(_ selections: [SQLSelection], of table: QueryTable) throws {
        var part = (known: 0, literals: 0)
        for selection in selections {
            switch selection.content {
            case .allColumns: part.known += try table.columns().count
            case .allColumnsExcluding(let names): part.known += try count(table, excluding: names)
            case .allColumnsOf(let alias): part.known += try tables[alias]?.columns().count ?? 0
            case .allColumnsOfExcluding(let alias, let names):
                part.known += try tables[alias].map { try count($0, excluding: names) } ?? 0
            case .expression, .named: part.known += 1
            case .literal: part.literals += 1
            }
        }
        parts.append(part)
    }

    private func count(_ table: QueryTable, excluding names: Set<ColumnName>) throws -> Int {
        try table.columns().filter { !names.contains(ColumnName($0)) }.count
    }

    /// Returns the number of columns of each table.
    ///
    /// A literal can select any number of columns. The numbers are known if all literals select one column,
    /// or if all are in one table.
    func counts(total: Int, of table: String) throws -> [Int] {
        let remaining = total - parts.reduce(0) { $0 + $1.known }
        let literals = parts.reduce(0) { $0 + $1.literals }
        if remaining == literals { return parts.map { $0.known + $0.literals } }
        guard remaining > literals, parts.filter({ $0.literals > 0 }).count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    the columns of the tables of a request of table \(table) cannot be distinguished: select one \
                    column with each SQL literal
                    """)
        }
        return parts.map { $0.known + ($0.literals > 0 ? remaining : 0) }
    }
}
