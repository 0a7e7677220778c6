import VigilStorage

/// Determines whether a query leaves the order of its rows to the library, which may read them in the order
/// of an index, with columns that the query does not read.
enum RowOrder {
    /// Returns whether a query has one row, made of nothing but aggregates: it has neither groups nor columns
    /// outside of its aggregates. The order of the rows decides the values of such columns.
    static func hasOneRow(_ outline: SelectOutline, _ connection: SQLiteConnection) -> Bool {
        let tokens = outline.resultColumns
        guard !outline.hasGroups, !tokens.contains(where: { $0.isWord(in: ["select", "over"]) }),
            let columns = try? outline.columns()
        else { return false }
        var hasAggregates = false
        for column in columns {
            guard !column.isStar else { return false }
            var index = column.tokens.startIndex
            while index < column.tokens.endIndex {
                if let end = endOfAggregate(column.tokens[index...], connection) {
                    hasAggregates = true
                    index = end
                } else if mayReadColumn(at: index, column.tokens) {
                    return false
                }
                index += 1
            }
        }
        return hasAggregates
    }

    /// Returns the last index of an aggregate and its filter at the beginning of tokens; `nil` for other
    /// tokens.
    private static func endOfAggregate(
        _ tokens: ArraySlice<SQLToken>, _ connection: SQLiteConnection
    ) -> Int? {
        let call = tokens.dropFirst()
        guard let name = tokens.first, name.kind == .word || name.isQuoted,
            call.first?.isSymbol("(") == true, let end = call.closingIndex
        else { return nil }
        let folded = name.content.foldedName
        guard PureFunctions.aggregates.contains(folded), connection.isBuiltIn(folded) else { return nil }
        // With several arguments, these are no aggregates.
        if ["max", "min"].contains(folded), call[(call.startIndex + 1)..<end].outerParts?.count != 1 {
            return nil
        }
        let rest = call[(end + 1)...]
        let filter = rest.dropFirst()
        guard rest.first?.isWord("FILTER") == true, filter.first?.isSymbol("(") == true else { return end }
        return filter.closingIndex ?? end
    }

    /// Returns whether a token of a result column may be the name of a column, instead of an alias, a
    /// function, a type or a collation.
    private static func mayReadColumn(at index: Int, _ tokens: ArraySlice<SQLToken>) -> Bool {
        let token = tokens[index]
        guard token.kind != .string, token.mayBeName else { return false }
        let (previous, next) = (tokens[..<index].last, tokens[(index + 1)...].first)
        if previous?.isWord(in: ["as", "collate"]) == true || next?.isSymbol("(") == true { return false }
        return next != nil || previous?.isSymbol(")") != true
    }

    /// Returns whether a query of one table has at most one row, or sorts by a key.
    static func isComplete(
        _ outline: SelectOutline, _ occurrences: [TableOccurrence], columnNames: [String],
        connection: SQLiteConnection
    ) -> Bool {
        guard !outline.hasGroups, occurrences.count == 1, let occurrence = occurrences.first else {
            return false
        }
        let compared = occurrence.comparedColumns
        if occurrence.isKey(compared, excludesNull: true) { return true }
        guard outline.resultColumns.first?.isWord("DISTINCT") != true,
            !mayAggregate(outline.resultColumns, connection), let order = outline.order,
            let columns = try? outline.columns(),
            let terms = try? SortOrder(
                order, of: columns, in: occurrences, outline: outline, columnNames: columnNames,
                connection: connection
            ).terms()
        else { return false }
        let sorted = terms.filter { $0.term.collation == .binary }.map { term -> RowCondition.Column in
            switch term.column {
            case .rowID: .rowID
            case .column(_, let column): .named(column.name)
            }
        }
        return occurrence.isKey(compared + sorted, excludesNull: false)
    }

    /// Returns whether result columns may have an aggregate outside of nested queries, also one of the
    /// program.
    private static func mayAggregate(_ tokens: ArraySlice<SQLToken>, _ connection: SQLiteConnection) -> Bool {
        var index = tokens.startIndex
        while index + 1 < tokens.endIndex {
            let (name, next) = (tokens[index], tokens[index + 1])
            if name.isSymbol("("), next.isWord(in: ["select", "values", "with"]),
                let end = tokens[index...].closingIndex
            {
                index = end
            } else if next.isSymbol("("), name.mayBeName, !name.isWord("CAST"),
                endOfAggregate(tokens[index...], connection) != nil
                    || !connection.isPure(name.content.foldedName)
            {
                return true
            }
            index += 1
        }
        return false
    }
}

extension TableOccurrence {
    /// The columns that equal one value in all rows of the query, compared byte by byte.
    fileprivate var comparedColumns: [RowCondition.Column] {
        guard conditions.lists.count == 1 else { return [] }
        return conditions.lists[0].compactMap { condition -> RowCondition.Column? in
            guard case .oneOf(let operands) = condition.test, operands.count == 1,
                condition.column == .rowID || condition.collation == .binary
            else { return nil }
            if case .elements = operands[0] { return nil }
            return condition.column
        }
    }

    /// Returns whether no two rows of the query have the same values in these columns.
    ///
    /// - Parameter excludesNull: whether the query returns no rows with NULL in them. Several rows can have
    ///   NULL in a unique index.
    func isKey(_ columns: [RowCondition.Column], excludesNull: Bool) -> Bool {
        func contains(_ name: String) -> Bool {
            columns.contains { column in
                if case .named(let known) = column { known.isSameName(as: name) } else { false }
            }
        }
        if columns.contains(.rowID) || metadata.table.rowIDColumn.map(contains) == true { return true }
        return metadata.indexes.contains { index in
            index.isUnique && !index.isPartial
                && index.columns.allSatisfy { name in
                    guard let name, let column = self.column(named: name) else { return false }
                    return contains(name) && (excludesNull || column.isNotNull)
                }
        }
    }
}

extension SQLiteConnection {
    /// Returns the columns of a table's indexes, all columns if they are not known; `nil` without indexes.
    func readOfIndexes(on table: TableName) -> TableRead? {
        let metadata: TableMetadata?
        do throws(StorageError) {
            metadata = try self.table(meantBy: FromClause.Source(schema: table.schema, name: table.name))
        } catch {
            return TableRead(table)
        }
        guard let metadata, metadata.table.kind != .view else { return nil }
        guard metadata.table.kind == .table else { return TableRead(table) }
        guard !metadata.indexes.isEmpty else { return nil }
        var names: Set<String> = []
        for index in metadata.indexes {
            for column in index.columns {
                guard let column, names.insertExactly(column) else { return TableRead(table) }
            }
        }
        return TableRead(table, columns: names)
    }
}
