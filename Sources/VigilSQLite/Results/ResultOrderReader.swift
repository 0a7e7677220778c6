import VigilStorage

/// Finds the column that a query is sorted by first, or whose maximum or minimum it returns.
///
/// Queries with expressions among their result columns or sort terms have none: an expression may fail for a
/// row behind all rows that are read, because the library sorts by computing all rows.
struct ResultOrderReader {
    private let outline: SelectOutline
    private let occurrences: [TableOccurrence]
    private let columnNames: [String]
    private let parameters: ParameterNumbers
    private let connection: SQLiteConnection

    init(
        _ outline: SelectOutline, _ occurrences: [TableOccurrence], columnNames: [String],
        parameters: ParameterNumbers, connection: SQLiteConnection
    ) {
        self.outline = outline
        self.occurrences = occurrences
        self.columnNames = columnNames
        self.parameters = parameters
        self.connection = connection
    }

    /// - Parameter excluded: the tables that the query reads in other places, too.
    func order(excluding excluded: Set<TableName>) -> ResultOrder? {
        guard !outline.hasGroups, outline.resultColumns.first?.isWord("DISTINCT") != true,
            occurrences.allSatisfy(\.metadata.virtualColumns.isEmpty),
            let columns = try? outline.columns()
        else { return nil }
        if let order = outline.order { return self.order(by: order, of: columns, excluding: excluded) }
        return extreme(columns, excluding: excluded)
    }

    private func order(
        by order: ArraySlice<SQLToken>, of columns: [ResultColumn], excluding excluded: Set<TableName>
    ) -> ResultOrder? {
        guard columns.allSatisfy({ $0.isStar || $0.reference != nil }),
            let terms = try? SortOrder(
                order, of: columns, in: occurrences, outline: outline, columnNames: columnNames,
                connection: connection
            ).terms(), let first = terms.first
        else { return nil }
        // Joins with a place of NULL return wrong rows in some versions of the library (3.40.1).
        if occurrences.count > 1, order.contains(where: { $0.isWord("NULLS") }) { return nil }
        var keys = KeyColumns(columns, occurrences, columnNames: columnNames)
        keys.append(first.column, sql: "")
        guard keys.added.isEmpty, let position = keys.positions.first else { return nil }
        return result(
            first, at: position, nullsAreLast: first.term.nullsAreLast, limit: limit, excluding: excluded)
    }

    /// Reads `MAX(column)` or `MIN(column)`, the only result column.
    private func extreme(_ columns: [ResultColumn], excluding excluded: Set<TableName>) -> ResultOrder? {
        guard columns.count == 1, outline.limit == nil, let tokens = columns.first?.tokens,
            let name = tokens.first, name.mayBeExtreme, connection.isBuiltIn(name.content.foldedName),
            tokens.dropFirst().first?.isSymbol("(") == true, let end = tokens.dropFirst().closingIndex,
            isAlias(tokens[(end + 1)...])
        else { return nil }
        let argument = tokens[(tokens.startIndex + 2)..<end]
        guard ColumnReference(argument)?.length == argument.count,
            let term = try? SortOrder(
                argument, of: [], in: occurrences, outline: outline, columnNames: columnNames,
                connection: connection
            ).terms().first
        else { return nil }
        var result = result(
            term, at: 0, nullsAreLast: true, limit: .value(.integer(1)), excluding: excluded)
        result?.isDescending = name.content.isSameName(as: "max")
        return result
    }

    /// Returns whether the tokens after a result column are its alias, or nothing.
    private func isAlias(_ tokens: ArraySlice<SQLToken>) -> Bool {
        tokens.isEmpty || tokens.first?.isWord("AS") == true && tokens.count == 2
    }

    private func result(
        _ term: SortOrder.Term, at position: Int, nullsAreLast: Bool, limit: RowConditionTemplate.Operand?,
        excluding excluded: Set<TableName>
    ) -> ResultOrder? {
        let (index, column) = column(term.column)
        let occurrence = occurrences[index]
        guard let column, !occurrence.source.isOptional, !excluded.contains(occurrence.table),
            occurrences.count(where: { $0.table == occurrence.table }) == 1
        else { return nil }
        return ResultOrder(
            occurrence.table, column, resultColumn: position,
            collation: term.term.collation == .nocase ? .nocase : .binary,
            isDescending: term.term.isDescending, nullsAreLast: nullsAreLast, limit: limit)
    }

    /// Returns the column of a condition; `nil` if its values are computed.
    private func column(_ meaning: ColumnReference.Meaning) -> (occurrence: Int, RowCondition.Column?) {
        switch meaning {
        case .rowID(let index): return (index, .rowID)
        case .column(let index, let column):
            let metadata = occurrences[index].metadata
            if metadata.table.rowIDColumn?.isSameName(as: column.name) == true { return (index, .rowID) }
            return (
                index,
                metadata.generatedColumns.contains(ExactString(column.name)) ? nil : .named(column.name)
            )
        }
    }

    /// The maximum number of rows; `nil` without one, or if it is an expression.
    private var limit: RowConditionTemplate.Operand? {
        outline.limit.flatMap { WindowClause($0, parameters).limit }
    }
}

extension SQLToken {
    /// Whether the token can be the name of the aggregates `MAX` and `MIN`.
    var mayBeExtreme: Bool { kind == .word && isWord(in: ["max", "min"]) }
}
