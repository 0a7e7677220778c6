package import VigilStorage

extension DatabaseRegion {
    /// Returns whether a change of a row modifies the region.
    ///
    /// - Parameters:
    ///   - row: the changed row.
    ///   - images: the row's values. An unknown value may be any value.
    package func isModified(by row: RowChangeSummary, images: (any RowImages)? = nil) -> Bool {
        guard contents != nil else { return !row.isNoOp }
        guard let part = part(of: row.table) else { return false }
        return part.match(row, RowValues(row, images: part.predicates == nil ? nil : images)) != nil
    }

    /// Returns whether a row belongs to the region, for a change declared to modify it.
    ///
    /// Rows of other tables count as belonging to it: the change was declared for a table containing them,
    /// such as a full-text index with its internal tables.
    package func includesRow(_ key: RowKey, of table: TableName) -> Bool {
        part(of: table)?.includes(key) ?? true
    }

    package func isModified(by changes: ChangeSet) -> Bool {
        if changes.isEmpty { return false }
        guard let contents else { return true }
        if changes.isWholeDatabase { return !contents.isEmpty }
        return contents.contains { changes.modify($0) }
    }

    private func part(of table: TableName) -> TablePart? {
        contents?.first { $0.table == table }?.part
    }
}
