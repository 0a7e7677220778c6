import VigilStorage

extension Row: Hashable {
    /// Returns whether two rows have the same columns in the same order, with equal values, scopes and
    /// prefetched rows.
    ///
    /// Values are compared as ``DatabaseValue`` compares them: 1 equals 1.0.
    public static func == (a: Row, b: Row) -> Bool {
        if a === b { return true }
        return a.layout.hasSameColumns(as: b.layout)
            && (0..<a.count).allSatisfy { a.databaseValue(at: $0) == b.databaseValue(at: $0) }
            && a.scopes.elementsEqual(b.scopes) { $0.name == $1.name && $0.row == $1.row }
            && a.prefetchedRows == b.prefetchedRows
    }

    /// Hashes the columns and their values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (name, value) in self {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension Row {
    /// Returns whether two rows have the same columns in the same order, with identical values, scopes and
    /// prefetched rows: unlike equal rows, 1 and 1.0 differ.
    package func isIdentical(to other: Row) -> Bool {
        if self === other { return true }
        return layout.hasSameColumns(as: other.layout)
            && (0..<count).allSatisfy { cell(at: $0).isIdentical(to: other.cell(at: $0)) }
            && scopes.elementsEqual(other.scopes) { $0.name == $1.name && $0.row.isIdentical(to: $1.row) }
            && prefetchedRows.isIdentical(to: other.prefetchedRows)
    }
}

extension RowLayout {
    fileprivate func hasSameColumns(as other: RowLayout) -> Bool {
        self === other || names == other.names
    }
}
