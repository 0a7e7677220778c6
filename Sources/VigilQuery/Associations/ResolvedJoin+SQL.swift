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
        var nested: [TableAliasBase: QueryTable] = [:]
        for join in joins { join.collectNestedTables(into: &nested) }
        var isFirst = selection.isEmpty
        if !selection.isEmpty {
            let own = try nested.isEmpty ? selection : selection.flatMap { try $0.named(ofAliased: nested) }
            try writer.write(own, of: table)
        }
        for join in joins { try join.writeSelection(to: &writer, &isFirst, nested: nested) }
        guard isFirst else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a request of table \(table.name) selects nothing: select a column")
    }
}

extension ResolvedJoin {
    /// Adds the tables joined within parentheses, by their aliases.
    fileprivate func collectNestedTables(
        into tables: inout [TableAliasBase: QueryTable], isNested: Bool = false
    ) {
        let isNested = isNested || needsParentheses
        if isNested { for alias in aliases { tables[alias] = table } }
        for join in joins { join.collectNestedTables(into: &tables, isNested: isNested) }
    }

    /// - Parameter nested: The tables joined within parentheses.
    fileprivate func writeSelection(
        to writer: inout SQLWriter, _ isFirst: inout Bool, nested: [TableAliasBase: QueryTable]
    ) throws {
        if !selection.isEmpty {
            if !isFirst { writer.write(", ") }
            isFirst = false
            let selection = try namedSelection(nested)
            try writer.with(table: reference) { try $0.write(selection, of: table) }
        }
        for join in joins { try join.writeSelection(to: &writer, &isFirst, nested: nested) }
    }

    /// Returns the selection with the names of the columns of tables joined within parentheses.
    private func namedSelection(_ nested: [TableAliasBase: QueryTable]) throws -> [SQLSelection] {
        guard !nested.isEmpty else { return selection }
        let isNested = aliases.contains { nested[$0] != nil }
        let own = isNested ? try selection.flatMap { try $0.named(of: table) } : selection
        return try own.flatMap { try $0.named(ofAliased: nested) }
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

// SQLite names the columns of joins in parentheses by unspecified rules, and `*` also stands for the row ids
// selected there.
extension SQLSelection {
    /// Returns the selection with the name of each column.
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

    /// Returns the selection with the name of each column of aliased tables.
    fileprivate func named(ofAliased tables: [TableAliasBase: QueryTable]) throws -> [SQLSelection] {
        switch content {
        case .allColumnsOf(let alias):
            guard let table = tables[alias] else { return [self] }
            return try table.columns().map { SQLExpression(.columnOf(alias, $0)).forKey($0) }
        case .allColumnsOfExcluding(let alias, let names):
            guard let table = tables[alias] else { return [self] }
            return try table.columns().filter { !names.contains(ColumnName($0)) }
                .map { SQLExpression(.columnOf(alias, $0)).forKey($0) }
        case .expression(let expression):
            guard case .columnOf(let alias, let name)? = expression.node, tables[alias] != nil else {
                return [self]
            }
            return [expression.forKey(name)]
        case .allColumns, .allColumnsExcluding, .named, .literal: return [self]
        }
    }
}
