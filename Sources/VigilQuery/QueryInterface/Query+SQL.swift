import VigilEngine
import VigilRegions

extension Query: SQLFragment {
    /// Writes the query as a subquery, without parentheses.
    package func write(to writer: inout SQLWriter) throws {
        try resolved(writer.db).write(to: &writer)
    }
}

extension ResolvedQuery {
    /// Returns a reference to the table, to qualify its columns.
    func reference() -> TableReference {
        if let nameInJoin {
            return TableReference(
                tableName: table.name, name: nameInJoin, isQualified: true, resultNames: resultNames)
        }
        let alias = aliases.first { $0.name != nil }?.name
        return TableReference(tableName: table.name, name: alias ?? table.name, isQualified: alias != nil)
    }

    func inScope(_ writer: inout SQLWriter, _ body: (inout SQLWriter) throws -> Void) throws {
        let reference = reference()
        guard !aliases.isEmpty || !tableExpressions.isEmpty || table.isTableExpression || writer.isSubquery
        else {
            // The scopes of aliases and of common table expressions do not change.
            return try writer.with(table: reference, body)
        }
        let undefinedName = table.isTableExpression ? table.name : nil
        let outer = writer.joinedQuery
        if hasJoins, !grouping.isEmpty { writer.joinedQuery = self }
        defer { writer.joinedQuery = outer }
        try writer.db.withTableExpressions(tableExpressions, undefinedName: undefinedName) {
            let aliases = hasJoins ? joinedAliases(reference) : aliases.map { ($0, reference) }
            try writer.with(aliases: aliases) { writer in
                try writer.with(table: reference, body)
            }
        }
    }

    func write(to writer: inout SQLWriter) throws {
        try inScope(&writer) { writer in
            try writeTableExpressions(to: &writer)
            writer.write(isDistinct ? "SELECT DISTINCT " : "SELECT ")
            try hasJoins ? writeJoinedSelection(to: &writer) : writer.write(selection, of: table)
            try writeSource(to: &writer)
            try writeGrouping(to: &writer)
            try writeOrdering(to: &writer)
            writeLimit(to: &writer)
        }
    }

    /// Writes a query of one value instead of the selection, without order.
    func write(selecting value: SQLExpression, to writer: inout SQLWriter) throws {
        try inScope(&writer) { writer in
            try writeTableExpressions(to: &writer)
            writer.write("SELECT ")
            try writer.write(alone: value)
            try writeSource(to: &writer)
        }
    }

    func writeTableExpressions(to writer: inout SQLWriter) throws {
        guard !tableExpressions.isEmpty else { return }
        writer.write(tableExpressions.contains(where: \.isRecursive) ? "WITH RECURSIVE " : "WITH ")
        for (index, expression) in tableExpressions.enumerated() {
            if index > 0 { writer.write(", ") }
            try expression.writeDefinition(to: &writer)
        }
        writer.write(" ")
    }

    func writeTable(to writer: inout SQLWriter) {
        writer.write(identifier: table.name)
        guard !aliases.isEmpty, let alias = reference().qualifier, alias != table.name else { return }
        writer.write(" ")
        writer.write(identifier: alias)
    }

    private func writeSource(to writer: inout SQLWriter) throws {
        writer.write(" FROM ")
        writeTable(to: &writer)
        for join in joins { try join.write(to: &writer) }
        try writeFilter(to: &writer)
    }

    func writeFilter(to writer: inout SQLWriter) throws {
        guard let filter else { return }
        writer.write(" WHERE ")
        try writer.write(filter)
    }

    private func writeGrouping(to writer: inout SQLWriter) throws {
        if !grouping.isEmpty {
            writer.write(" GROUP BY ")
            try writer.write(grouping, separator: ", ")
        }
        guard let groupFilter else { return }
        writer.write(" HAVING ")
        try writer.write(groupFilter)
    }

    func writeOrdering(to writer: inout SQLWriter) throws {
        for index in ordering.indices {
            writer.write(index == 0 ? " ORDER BY " : ", ")
            try writer.write(ordering[index])
        }
    }

    func writeLimit(to writer: inout SQLWriter) {
        guard let limit else { return }
        writer.write(" LIMIT ")
        writer.write(rowCount: limit.count)
        guard let offset = limit.offset else { return }
        writer.write(" OFFSET ")
        writer.write(String(offset < 0 ? 0 : offset))
    }
}

extension SQLWriter {
    /// - Throws: `SQLITE_MISUSE` if the selection is empty.
    mutating func write(_ selections: [SQLSelection], of table: QueryTable) throws {
        guard !selections.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a request of table \(table.name) selects nothing: select a column")
        }
        for index in selections.indices {
            if index > 0 { write(", ") }
            try write(selections[index])
        }
    }

    mutating func write(_ selection: SQLSelection) throws {
        switch selection.content {
        case .allColumns: writeAllColumns(of: table)
        case .allColumnsOf(let alias): writeAllColumns(of: try table(alias))
        case .allColumnsExcluding(let names):
            try write(columnsOf: table, where: { !names.contains($0) })
        case .allColumnsOfExcluding(let alias, let names):
            try write(columnsOf: try table(alias), where: { !names.contains($0) })
        case .expression(let expression): try write(alone: expression)
        case .named(let expression, let name):
            try write(alone: expression)
            write(" AS ")
            write(identifier: name)
        case .literal(let sql): try sql.write(to: &self)
        }
    }

    private mutating func writeAllColumns(of table: TableReference?) {
        if table?.isQualified == true, let qualifier = table?.qualifier {
            write(identifier: qualifier)
            write(".")
        }
        write("*")
    }

    private mutating func write(columnsOf table: TableReference?, where isSelected: (ColumnName) -> Bool)
        throws
    {
        guard let table else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the columns of a table need a request of that table")
        }
        let columns = try QueryTable.named(table.tableName, db).columns()
        let selected = columns.filter { isSelected(ColumnName($0)) }
        guard selected.count < columns.count else { return writeAllColumns(of: table) }
        guard !selected.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "all columns of table \(table.tableName) are excluded: leave one")
        }
        for (index, column) in selected.enumerated() {
            if index > 0 { write(", ") }
            write(column: column, of: table)
        }
    }
}
