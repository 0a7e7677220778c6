import VigilStorage

// Groups that are found by the values of the changed row.
extension RegionIndex {
    /// What tests ask for.
    mutating func values(of row: RowFacts, _ images: (any RowImages)?, in table: Int) -> RowValues {
        tables[table].values.prepare(for: images)
        return RowValues(row, images: images, positions: images == nil ? nil : tables[table].values.positions)
    }

    /// Whether the change may touch a group with somebody waiting.
    mutating func isAnyoneWaiting(
        forValuesOf row: RowFacts, _ images: (any RowImages)?, in table: Int
    ) -> Bool {
        let values = self.values(of: row, images, in: table)
        find(row, values, in: table)
        defer { found.removeAll(keepingCapacity: true) }
        lookCount += found.count
        return found.contains { groups[$0].waiting > 0 && groups[$0].part.touch(by: row, values) != nil }
    }

    /// The values of the row in the columns that somebody has conditions on; `nil` if nobody waits, for whose sake they
    /// would be fetched.
    mutating func changedValues(of row: RowFacts, _ images: (any RowImages)?) -> ChangedValues? {
        guard images != nil, let table = slot(of: row.table), tables[table].waiting > 0 else { return nil }
        return ChangedValues(of: values(of: row, images, in: table), in: tables[table].values.names)
    }

    mutating func matchValues(
        _ row: RowFacts, _ values: RowValues, _ key: RowKey, in table: Int, into hits: inout [Hit]
    ) {
        find(row, values, in: table)
        var index = 0
        while index < found.count {
            _ = look(at: found[index], row, values, key, into: &hits)
            index += 1
        }
        found.removeAll(keepingCapacity: true)
    }

    /// Finds at least those groups that the change touches, but for those found by row id.
    private mutating func find(_ row: RowFacts, _ values: RowValues, in table: Int) {
        if values.images == nil || tables[table].values.mayConcernAnyRowID(row) {
            findClasses(row, in: table)
            return
        }
        for slot in tables[table].values.columns.indices { find(values, in: slot, of: table) }
    }

    /// Without images, all those are found for whom the update makes a difference. They are hit at once, unless a
    /// condition on the row id forbids, so this is not done again for each row.
    private mutating func findClasses(_ row: RowFacts, in table: Int) {
        for index in tables[table].values.classes.indices {
            let (part, waiting) = (
                tables[table].values.classes[index].part, tables[table].values.classes[index].waiting
            )
            guard waiting > 0, row.kind != .update || part.isTouched(byUpdate: row) else { continue }
            found.append(contentsOf: tables[table].values.classes[index].groups)
        }
    }

    private mutating func find(_ values: RowValues, in slot: Int, of table: Int) {
        let column = tables[table].values.columns[slot].column
        if tables[table].values.columns[slot].isEmpty { return }
        if column.column == .rowID {
            find(.init(values.oldKey), in: slot, of: table)
            if values.newKey != values.oldKey { find(.init(values.newKey), in: slot, of: table) }
            return
        }
        guard let position = tables[table].values.columns[slot].position else {
            lookCount += tables[table].values.columns[slot].findAll(into: &found)
            return
        }
        let old = values.has(.old) ? SoughtValue(values.cell(at: position, .old)) : .absent
        let new = values.has(.new) ? SoughtValue(values.cell(at: position, .new)) : .absent
        find(old, in: slot, of: table)
        if !new.isIdentical(to: old) { find(new, in: slot, of: table) }
    }

    private mutating func find(_ value: SoughtValue, in slot: Int, of table: Int) {
        switch value {
        case .absent: return
        case .unknown: lookCount += tables[table].values.columns[slot].findAll(into: &found)
        case .known(let cell):
            let collation = tables[table].values.columns[slot].column.collation
            lookCount += cell.withCompared(collation) { value in
                tables[table].values.columns[slot].find(value, into: &found)
            }
        }
    }
}

/// A value by which groups are found.
private enum SoughtValue {
    /// There is no such row.
    case absent
    case unknown
    case known(StorageCell)

    init(_ cell: StorageCell?) {
        self = cell.map { .known($0) } ?? .unknown
    }

    init(_ key: RowKey?) {
        switch key {
        case nil: self = .absent
        case .integer(let rowID): self = .known(StorageCell(integer: rowID))
        case .values, .unknown: self = .unknown
        }
    }

    func isIdentical(to other: SoughtValue) -> Bool {
        if case .known(let one) = self, case .known(let two) = other { one.isIdentical(to: two) } else { false }
    }
}

extension ValueIndex {
    /// Whether groups that are found by row id may all be concerned, because it is not known.
    fileprivate func mayConcernAnyRowID(_ row: RowFacts) -> Bool {
        guard mixedCount > 0 else { return false }
        return [row.oldKey, row.newKey].contains { key in
            switch key {
            case nil, .integer: false
            case .values, .unknown: true
            }
        }
    }
}
