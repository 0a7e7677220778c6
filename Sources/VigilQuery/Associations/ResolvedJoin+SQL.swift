import VigilEngine
import VigilRegions

extension ResolvedQuery {
    var hasJoins: Bool { !joins.isEmpty }

    /// The aliases of all tables of a query with joins.
    func joinedAliases(_ reference: TableReference) -> [(TableAliasBase, TableReference)] {
        var all = aliases.map { ($0, reference) }
        for join in joins { join.forEachAlias { all.append(($0, $1)) } }
        return all
    }

    /// Writes the selections of all tables.
    ///
    /// - Throws: `SQLITE_MISUSE` if they are empty.
    func writeJoinedSelection(to writer: inout SQLWriter) throws {
        var isFirst = selection.isEmpty
        if !selection.isEmpty { try writer.write(selection, of: table) }
        for join in joins { try join.writeSelection(to: &writer, &isFirst, isNested: false) }
        guard isFirst else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a request of table \(table.name) selects nothing: select a column")
    }
}

extension ResolvedJoin {
    /// - Parameter isNested: Whether the table is joined within parentheses.
    fileprivate func writeSelection(to writer: inout SQLWriter, _ isFirst: inout Bool, isNested: Bool) throws
    {
        let isNested = isNested || needsParentheses
        if !selection.isEmpty {
            if !isFirst { writer.write(", ") }
            isFirst = false
            let selection = isNested ? try selection.flatMap { try $0.named(of: table) } : selection
            try writer.with(table: reference) { try $0.write(selection, of: table) }
        }
        for join in joins { try join.writeSelection(to: &writer, &isFirst, isNested: isNested) }
    }

    /// Whether an inner join follows this left join. To restrict only the rows of the left join, it is
    /// written in parentheses.
    private var needsParentheses: Bool { isOptional && joins.contains { !$0.isOptional } }

    /// Writes the table.
    ///
    /// - Parameter isInParentheses: whether the table is in a join in parentheses. SQLite hides its row ids
    ///   there, unless they are selected.
    func writeTable(to writer: inout SQLWriter, isInParentheses: Bool = false) {
        if isInParentheses, let rowID = table.hiddenRowID {
            writer.write("(SELECT ")
            writer.write(identifier: rowID)
            writer.write(" AS ")
            writer.write(identifier: rowID)
            writer.write(", * FROM ")
            writer.write(identifier: table.name)
            writer.write(") ")
            return writer.write(identifier: name)
        }
        writer.write(identifier: table.name)
        guard name != table.name else { return }
        writer.write(" ")
        writer.write(identifier: name)
    }

    /// Writes the clause `JOIN`, then the clauses of the tables joined with this one.
    func write(to writer: inout SQLWriter, isInParentheses: Bool = false) throws {
        writer.write(isOptional ? " LEFT JOIN " : " JOIN ")
        let isNested = needsParentheses
        if isNested { writer.write("(") }
        writeTable(to: &writer, isInParentheses: isNested || isInParentheses)
        if isNested {
            for join in joins { try join.write(to: &writer, isInParentheses: true) }
            writer.write(")")
        }
        if let condition {
            writer.write(" ON ")
            try writer.with(table: reference) { try $0.write(condition) }
        }
        guard !isNested else { return }
        for join in joins { try join.write(to: &writer, isInParentheses: isInParentheses) }
    }
}

extension SQLSelection {
    /// Returns the selection with the name of each column. SQLite names the columns of joins in parentheses
    /// by unspecified rules.
    fileprivate func named(of table: QueryTable) throws -> [SQLSelection] {
        switch content {
        case .allColumns: try table.columns().map { Column($0).forKey($0) }
        case .allColumnsExcluding(let names):
            try table.columns().filter { !names.contains(ColumnName($0)) }.map { Column($0).forKey($0) }
        case .expression(let expression):
            switch expression.node {
            case .column(let name), .columnOf(_, let name): [expression.forKey(name)]
            default: [self]
            }
        case .allColumnsOf, .allColumnsOfExcluding, .named, .literal: [self]
        }
    }
}
