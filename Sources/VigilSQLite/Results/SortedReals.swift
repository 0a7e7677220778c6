import VigilStorage

extension SQLiteConnection {
    /// Refuses the rows of a query that may be sorted, and have a virtual generated column of the affinity
    /// REAL.
    func checkSortedReals(in outline: SelectOutline, _ reads: [TableRead]) throws {
        guard outline.order != nil || outline.limit != nil else { return }
        try checkSortedReals(among: outline.resultColumns, reads)
    }

    /// Refuses sorted results with a virtual generated column of the affinity REAL.
    ///
    /// If the library (3.40.1) sorts rows, it returns the whole numbers in such a column as integers. A
    /// look-up of a single row returns reals.
    ///
    /// - Parameters:
    ///   - tokens: the parts of the result that can return a value of a column.
    ///   - reads: the reads of the statement.
    func checkSortedReals(among tokens: some Collection<SQLToken>, _ reads: [TableRead]) throws {
        for read in reads {
            let source = FromClause.Source(schema: read.table.schema, name: read.table.name)
            guard let metadata = try table(meantBy: source) else { continue }
            let columns = metadata.table.columns.filter { metadata.virtualColumns.contains($0.name) }
            // Other generated columns may be computed from it.
            guard columns.contains(where: { ColumnAffinity(declaredType: $0.type) == .real }),
                let column = columns.first(where: { column in
                    tokens.returnsAllColumns || tokens.contains { $0.mayBe(column.name) }
                })
            else { continue }
            throw Refusal("it sorts rows with \(column.name), a generated column of real numbers")
        }
    }
}

extension Collection<SQLToken> {
    /// Whether there is a `*` for columns. Others multiply, or count rows.
    fileprivate var returnsAllColumns: Bool {
        zip([nil] + map(Optional.some), self).contains { previous, token in
            guard token.isSymbol("*") else { return false }
            guard let previous else { return true }
            return previous.isSymbol(",") || previous.isSymbol(".")
                || previous.isWord(in: ["select", "distinct", "all"])
        }
    }
}

extension SQLToken {
    /// Whether the token may be the name of a column.
    fileprivate func mayBe(_ column: String) -> Bool {
        (kind == .word || isQuoted) && content.isSameName(as: column)
    }
}
