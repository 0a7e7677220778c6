package import VigilStorage

extension RegionIndex {
    /// Whether a change of the table could still hit anybody: while not, nobody needs to hear of its changes.
    ///
    /// Ask again after a rollback to a savepoint, which revives observers, and when observers come. Who stops
    /// listening must record one ``ChangeEvent/table(_:)`` in place of what he will not hear, for the change log.
    package func isAnyoneWaiting(for table: TableName) -> Bool {
        if groups[fullDatabase].waiting > 0 { return true }
        return slot(of: table).map { tables[$0].waiting > 0 } ?? false
    }

    /// Whether somebody who was not hit yet may be hit by the row, depending perhaps on which of its columns
    /// were updated.
    package func isAnyoneWaiting(for row: RowFacts) -> Bool {
        if groups[fullDatabase].waiting > 0 { return true }
        guard let table = slot(of: row.table) else { return false }
        if tables[table].waitingForAnyRow > 0 { return true }
        guard tables[table].waitingForRows > 0 else { return false }
        return isAnyoneWaiting(for: row.oldKey, in: table)
            || isAnyoneWaiting(for: row.newKey, in: table)
    }

    private func isAnyoneWaiting(for key: RowKey?, in table: Int) -> Bool {
        switch key {
        case nil:
            return false
        case .values, .unknown:
            return true
        case .integer(let rowID):
            guard let bucket = tables[table].byRowID[rowID], bucket.exhaustedAt != revivals else {
                return false
            }
            return bucket.groups.contains { groups[$0].waiting > 0 }
        }
    }

    /// Hits the observers whose region the change of a row touches, and appends them to `hits`.
    package mutating func match(_ row: RowFacts, into hits: inout [Hit]) {
        if row.isNoOp { return }
        let key = row.newKey ?? row.oldKey ?? .unknown
        if groups[fullDatabase].waiting > 0 {
            hitMembers(of: fullDatabase, .row(row.table, row.kind, key), into: &hits)
        }
        guard let table = slot(of: row.table) else { return }
        if tables[table].waitingForAnyRow > 0 {
            matchAllRows(row, key, in: table, into: &hits)
        }
        if tables[table].waitingForRows > 0 {
            if let oldKey = row.oldKey { matchRows(row, oldKey, in: table, into: &hits) }
            if let newKey = row.newKey, newKey != row.oldKey {
                matchRows(row, newKey, in: table, into: &hits)
            }
        }
    }

    /// Hits everybody who observes anything of the table.
    package mutating func match(anyRowOf table: TableName, into hits: inout [Hit]) {
        if groups[fullDatabase].waiting > 0 {
            hitMembers(of: fullDatabase, .table(table), into: &hits)
        }
        guard let slot = slot(of: table), tables[slot].waiting > 0 else { return }
        hitMembers(ofAll: tables[slot].groupsOfAllRows, .table(table), into: &hits)
        hitMembers(ofAll: tables[slot].groupsOfRows, .table(table), into: &hits)
    }

    /// Hits everybody who observes anything.
    package mutating func matchAnything(into hits: inout [Hit]) {
        hitMembers(of: fullDatabase, .database, into: &hits)
        for table in tables.indices where tables[table].waiting > 0 {
            hitMembers(ofAll: tables[table].groupsOfAllRows, .database, into: &hits)
            hitMembers(ofAll: tables[table].groupsOfRows, .database, into: &hits)
        }
    }
}

// MARK: - Groups of all rows

extension RegionIndex {
    private mutating func matchAllRows(
        _ row: RowFacts, _ key: RowKey, in table: Int, into hits: inout [Hit]
    ) {
        let reason = HitReason.row(row.table, row.kind, key)
        guard row.kind == .update, case .some(let columns, let compared) = row.updatedColumns else {
            hitMembers(ofAll: tables[table].groupsOfAllRows, reason, into: &hits)
            return
        }
        if let group = tables[table].allColumns { hitMembers(of: group, reason, into: &hits) }
        for column in columns {
            guard let bucket = tables[table].byColumn[column], bucket.exhaustedAt != revivals else {
                continue
            }
            for group in bucket.groups { hitMembers(of: group, reason, into: &hits) }
            tables[table].setExhausted(revivals, column: column)
        }
        guard let compared, !columns.isEmpty else { return }
        hitMembers(ofAll: groupsOfAllRows(in: table, outside: compared), reason, into: &hits)
    }

    /// The groups that read a column that nobody compared.
    private mutating func groupsOfAllRows(in table: Int, outside compared: ColumnSet) -> [Int] {
        if let known = tables[table].groups(outside: compared) { return known }
        let outside = tables[table].groupsOfAllRows.filter { group in
            groups[group].part.columns.map { !$0.isSubset(of: compared) } ?? false
        }
        tables[table].setGroups(outside, outside: compared)
        return outside
    }
}

// MARK: - Groups of rows

extension RegionIndex {
    private mutating func matchRows(
        _ row: RowFacts, _ key: RowKey, in table: Int, into hits: inout [Hit]
    ) {
        let reason = HitReason.row(row.table, row.kind, key)
        guard case .integer(let rowID) = key else {
            for group in tables[table].groupsOfRows where concerns(row, group) {
                hitMembers(of: group, reason, into: &hits)
            }
            return
        }
        guard let bucket = tables[table].byRowID[rowID], bucket.exhaustedAt != revivals else { return }
        var isExhausted = true
        for group in bucket.groups where groups[group].waiting > 0 {
            if concerns(row, group) {
                hitMembers(of: group, reason, into: &hits)
            } else {
                isExhausted = false
            }
        }
        // A single group is as quick to look at as the mark.
        if isExhausted, bucket.groups.count > 1 { tables[table].setExhausted(revivals, rowID: rowID) }
    }

    /// Whether the change of a row that a group may include touches it.
    private func concerns(_ row: RowFacts, _ group: Int) -> Bool {
        row.kind != .update || row.mayHaveMoved || row.updatedColumns.touch(groups[group].part.columns)
    }
}

// MARK: - Hitting

extension RegionIndex {
    private mutating func hitMembers(
        ofAll groups: [Int], _ reason: HitReason, into hits: inout [Hit]
    ) {
        for group in groups { hitMembers(of: group, reason, into: &hits) }
    }

    private mutating func hitMembers(
        of group: Int, _ reason: HitReason, into hits: inout [Hit]
    ) {
        guard groups[group].waiting > 0 else { return }
        for observer in groups[group].members where !observers[observer].isHit {
            setHit(true, at: observer)
            hits.append(Hit(observer: observers[observer].id, reason: reason))
        }
    }
}
