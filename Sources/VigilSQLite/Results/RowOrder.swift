import VigilStorage

/// Determines whether a query leaves the order of its rows to the library, which may read them in the order
/// of an index, with columns that the query does not read.
enum RowOrder {
    /// Returns whether a query has one row, because it has aggregates and no groups.
    static func hasOneRow(_ outline: SelectOutline, _ connection: SQLiteConnection) -> Bool {
        let tokens = outline.resultColumns
        guard !outline.hasGroups, !tokens.contains(where: { $0.isWord(in: ["select", "over"]) }) else {
            return false
        }
        return tokens.indices.dropLast().contains { index in
            let name = tokens[index]
            let call = tokens[(index + 1)...]
            guard name.kind == .word || name.isQuoted, call.first?.isSymbol("(") == true,
                let end = call.closingIndex
            else { return false }
            let folded = name.content.foldedName
            guard PureFunctions.aggregates.contains(folded), connection.isBuiltIn(folded) else {
                return false
            }
            // Otherwise, these are no aggregates.
            return !["max", "min"].contains(folded) || call[(index + 2)..<end].outerParts?.count == 1
        }
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
        guard outline.resultColumns.first?.isWord("DISTINCT") != true, let order = outline.order,
            let columns = try? outline.columns(),
            let terms = try? SortOrder(
                order, of: columns, in: occurrences, columnNames: columnNames, connection: connection
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
    fileprivate func isKey(_ columns: [RowCondition.Column], excludesNull: Bool) -> Bool {
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
