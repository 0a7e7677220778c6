import VigilStorage

// Groups found by the values of the changed row.
extension RegionIndex {
    mutating func values(of row: RowChangeSummary, _ images: (any RowImages)?, in table: Int) -> RowValues {
        guard let images else { return RowValues(row, images: nil, positions: nil) }
        tables[table].values.prepare(for: images)
        return RowValues(row, images: images, positions: tables[table].values.positions)
    }

    /// Returns the values of the row in the columns of observers' conditions and of links; `nil` if no armed
    /// observer and no link needs them.
    ///
    /// - Parameter linked: the columns of links.
    mutating func changedValues(
        of row: RowChangeSummary, _ images: (any RowImages)?, linked: [ColumnName]
    ) -> ChangedValues? {
        guard images != nil, let table = currentSlot(of: row.table) else { return nil }
        let isArmed = tables[table].armedCount > 0
        guard !linked.isEmpty else {
            return isArmed
                ? ChangedValues(of: values(of: row, images, in: table), in: tables[table].values.names) : nil
        }
        let names = isArmed ? tables[table].values.names : []
        return ChangedValues(
            of: values(of: row, images, in: table), in: linked + names.filter { !linked.contains($0) },
            rowLimit: ChangedValues.linkedRowLimit)
    }

    /// Returns whether the values of a row find a group with armed observers.
    ///
    /// The groups are kept for ``matchValues(_:_:key:in:into:)``, until ``forgetFound()``.
    mutating func findsArmedGroup(_ keys: RowKeys, _ images: (any RowImages)?, in table: Int) -> Bool {
        forgetFound()
        guard let images, !tables[table].values.mayMatchAnyRowID(keys) else { return true }
        find(keys, images, in: table)
        if found.groups.isEmpty { return false }
        found.isCurrent = true
        return found.groups.contains { groups[$0].armedCount > 0 }
    }

    /// Drops the groups found for the current row.
    mutating func forgetFound() {
        if found.groups.isEmpty && !found.isCurrent { return }
        found.groups.removeAll(keepingCapacity: true)
        found.isCurrent = false
    }

    /// Returns whether the change may match a group with armed observers.
    mutating func mayMatch(
        valuesOf row: RowChangeSummary, _ images: (any RowImages)?, in table: Int
    ) -> Bool {
        let values = self.values(of: row, images, in: table)
        find(row, values, in: table)
        checkedGroupCount += found.groups.count
        return found.groups.contains {
            groups[$0].armedCount > 0 && groups[$0].part.match(row, values) != nil
        }
    }

    mutating func matchValues(
        _ row: RowChangeSummary, _ values: RowValues, key: RowKey, in table: Int,
        into matches: inout [RegionMatch]
    ) {
        find(row, values, in: table)
        var index = 0
        while index < found.groups.count {
            _ = match(group: found.groups[index], row, values, key: key, into: &matches)
            index += 1
        }
    }

    /// Finds at least the groups matched by the change, except groups found by row id.
    ///
    /// Without images, these are all groups affected by an update of its columns. They match at once, unless
    /// a condition on the row id excludes it, and need not be found again for each row.
    private mutating func find(_ row: RowChangeSummary, _ values: RowValues, in table: Int) {
        if found.isCurrent { return }
        forgetFound()
        let keys = RowKeys(row)
        if let images = values.images, !tables[table].values.mayMatchAnyRowID(keys) {
            find(keys, images, in: table)
        } else {
            tables[table].values.findClasses(row, into: &found)
        }
    }

    private mutating func find(_ keys: RowKeys, _ images: any RowImages, in table: Int) {
        tables[table].values.prepare(for: images)
        tables[table].values.find(keys, images, into: &found)
    }
}
