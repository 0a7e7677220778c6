import VigilEngine

extension ResolvedQuery {
    /// Whether the query has several tables.
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
        for join in joins { try join.writeSelection(to: &writer, &isFirst) }
        guard isFirst else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "a request of table \(table.name) selects nothing")
    }
}

extension ResolvedJoin {
    fileprivate func writeSelection(to writer: inout SQLWriter, _ isFirst: inout Bool) throws {
        if !selection.isEmpty {
            if !isFirst { writer.write(", ") }
            isFirst = false
            try writer.with(table: reference) { try $0.write(selection, of: table) }
        }
        for join in joins { try join.writeSelection(to: &writer, &isFirst) }
    }

    /// Writes the clause `JOIN`, and those of the tables that are joined with this one.
    func write(to writer: inout SQLWriter) throws {
        writer.write(isOptional ? " LEFT JOIN " : " JOIN ")
        // An inner join behind a left join restricts the rows of the latter only, which takes parentheses.
        let isNested = isOptional && joins.contains { !$0.isOptional }
        if isNested { writer.write("(") }
        writer.write(identifier: table.name)
        if name != table.name {
            writer.write(" ")
            writer.write(identifier: name)
        }
        if isNested {
            for join in joins { try join.write(to: &writer) }
            writer.write(")")
        }
        if let condition {
            writer.write(" ON ")
            try writer.with(table: reference) { try $0.write(condition) }
        }
        guard !isNested else { return }
        for join in joins { try join.write(to: &writer) }
    }
}
