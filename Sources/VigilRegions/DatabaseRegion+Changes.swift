package import VigilStorage

extension DatabaseRegion {
    /// Whether a change of one row touches the region.
    ///
    /// - Parameter images: the row's values. A value that is not known may be any.
    package func isModified(by row: RowFacts, images: (any RowImages)? = nil) -> Bool {
        guard contents != nil else { return !row.isNoOp }
        guard let part = part(of: row.table) else { return false }
        return part.touch(by: row, RowValues(row, images: part.predicates == nil ? nil : images)) != nil
    }

    /// Whether what a statement writes may touch the region, whichever rows it meets.
    package func isModified(byWriteOf write: TableWrite) -> Bool {
        guard contents != nil else { return true }
        return part(of: write.table)?.isModified(by: write.kind) ?? false
    }

    /// Whether a row belongs to the region, for a change whose kind was found to modify it.
    ///
    /// A table that the region does not name belongs to it: the change was announced as one of another
    /// table, of which this one is a part, as the tables behind a full-text index are.
    package func includesRow(_ key: RowKey, of table: TableName) -> Bool {
        part(of: table)?.includes(key) ?? true
    }

    /// Whether any change of the set touches the region.
    package func isModified(by changes: ChangeSet) -> Bool {
        if changes.isEmpty { return false }
        guard let contents else { return true }
        if changes.isWholeDatabase { return !contents.isEmpty }
        return contents.contains { region in
            changes[region.table].map { region.part.isModified(by: $0) } ?? false
        }
    }

    private func part(of table: TableName) -> TablePart? {
        contents?.first { $0.table == table }?.part
    }
}
