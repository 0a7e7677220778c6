package import VigilStorage

extension RegionIndex {
    /// Returns whether a change of the table could still match an observer. If not, changes of the table need
    /// no record.
    ///
    /// The answer changes when a rollback to a savepoint arms observers, and when observers register. After
    /// it stops recording, a caller must record one ``ChangeEvent/table(_:)`` for the omitted changes, for
    /// the change log.
    package func hasArmedObservers(of table: TableName) -> Bool {
        if groups[fullDatabase].armedCount > 0 { return true }
        return slot(of: table).map { tables[$0].armedCount > 0 } ?? false
    }

    /// Returns whether the table has observers, armed or disarmed.
    mutating func hasObservers(of table: TableName) -> Bool {
        !groups[fullDatabase].members.isEmpty || currentSlot(of: table) != nil
    }

    /// Returns whether an observer may match a change after ``estimate(of:)`` returned `unknown`.
    mutating func mayMatch(afterEstimateOf row: RowChangeSummary, images: (any RowImages)?) -> Bool {
        guard let table = currentSlot(of: row.table) else { return false }
        return mayMatch(valuesOf: row, images, in: table)
    }

    /// An estimate of the matches of a change.
    enum Estimate {
        /// No observer matches.
        case none
        /// An observer may match, possibly depending on the updated columns.
        case some
        /// Observers have conditions that were not checked completely.
        case unknown
    }

    /// Estimates the matches of a change. Call ``match(_:images:into:)`` for the same change, or
    /// ``forgetFound()``, next. Most rows of a bulk transaction end here, so nothing is allocated or copied.
    mutating func estimate(of change: borrowing RowChange) -> Estimate {
        guard groups[fullDatabase].armedCount == 0 else { return .some }
        guard let table = currentSlot(of: change.table) else { return .none }
        return estimate(RowKeys(change), change.images, in: table)
    }

    private mutating func estimate(
        _ keys: RowKeys, _ images: (any RowImages)?, in table: Int
    ) -> Estimate {
        if tables[table].armedForAnyRow > 0 { return .some }
        if tables[table].hasArmedRowIDGroups,
            hasArmedGroup(for: keys.old, in: table)
                || (!keys.isSame && hasArmedGroup(for: keys.new, in: table))
        {
            return .some
        }
        guard tables[table].armedForValues > 0 else { return .none }
        return findsArmedGroup(keys, images, in: table) ? .unknown : .none
    }

    private func hasArmedGroup(for key: RowKeys.LookupKey, in table: Int) -> Bool {
        switch key {
        case .absent:
            return false
        case .unknown:
            return tables[table].armedForRows > 0
        case .rowID(let rowID):
            guard let bucket = tables[table].byRowID[rowID], bucket.allDisarmedAt != armingCount else {
                return false
            }
            return bucket.groups.contains { groups[$0].armedCount > 0 }
        }
    }

    /// Matches the observers of the regions modified by the change, and appends them to `matches`.
    ///
    /// - Parameters:
    ///   - row: the changed row.
    ///   - images: the row's values. An unknown value may be any value.
    ///   - matches: the list of matches to append to.
    package mutating func match(
        _ row: RowChangeSummary, images: (any RowImages)? = nil, into matches: inout [RegionMatch]
    ) {
        defer { forgetFound() }
        if row.isNoOp { return }
        let key = row.newKey ?? row.oldKey ?? .unknown
        if groups[fullDatabase].armedCount > 0 {
            matchMembers(of: fullDatabase, .row(row.table, row.kind, key), into: &matches)
        }
        guard let table = currentSlot(of: row.table) else { return }
        if tables[table].armedForAnyRow > 0 {
            matchAllRows(row, key, in: table, into: &matches)
        }
        guard tables[table].armedForRows > 0 || tables[table].armedForValues > 0 else { return }
        let values = self.values(of: row, images, in: table)
        if tables[table].hasArmedRowIDGroups {
            if let oldKey = row.oldKey { matchRows(row, values, key: oldKey, in: table, into: &matches) }
            if let newKey = row.newKey, newKey != row.oldKey {
                matchRows(row, values, key: newKey, in: table, into: &matches)
            }
        }
        if tables[table].armedForValues > 0 { matchValues(row, values, key: key, in: table, into: &matches) }
    }

    package mutating func match(anyRowOf table: TableName, into matches: inout [RegionMatch]) {
        if groups[fullDatabase].armedCount > 0 {
            matchMembers(of: fullDatabase, .table(table), into: &matches)
        }
        guard let slot = slot(of: table), tables[slot].armedCount > 0 else { return }
        matchAll(in: slot, .table(table), into: &matches)
    }

    package mutating func matchAnything(into matches: inout [RegionMatch]) {
        matchMembers(of: fullDatabase, .database, into: &matches)
        for table in tables.indices where tables[table].armedCount > 0 {
            matchAll(in: table, .database, into: &matches)
        }
    }

    private mutating func matchAll(in table: Int, _ reason: MatchReason, into matches: inout [RegionMatch]) {
        matchMembers(ofAll: tables[table].groupsOfAllRows, reason, into: &matches)
        matchMembers(ofAll: tables[table].groupsOfRows, reason, into: &matches)
        for index in tables[table].values.classes.indices {
            matchMembers(ofAll: tables[table].values.classes[index].groups, reason, into: &matches)
        }
    }
}

// MARK: - Groups of all rows

extension RegionIndex {
    private mutating func matchAllRows(
        _ row: RowChangeSummary, _ key: RowKey, in table: Int, into matches: inout [RegionMatch]
    ) {
        let reason = MatchReason.row(row.table, row.kind, key)
        guard row.kind == .update, !row.mayHaveMoved,
            case .some(let columns, let compared) = row.updatedColumns
        else {
            matchMembers(ofAll: tables[table].groupsOfAllRows, reason, of: row, into: &matches)
            return
        }
        if let group = tables[table].allColumns { matchMembers(of: group, reason, of: row, into: &matches) }
        if !row.ignoresNoOps {
            matchMembers(ofAll: tables[table].counting, reason, of: row, into: &matches)
        }
        for column in columns {
            guard let bucket = tables[table].byColumn[column], bucket.allDisarmedAt != armingCount else {
                continue
            }
            for group in bucket.groups { matchMembers(of: group, reason, of: row, into: &matches) }
            // For a single group, checking its members is as fast as checking this mark.
            if bucket.groups.count > 1 { tables[table].setAllDisarmed(armingCount, column: column) }
        }
        guard let compared, !columns.isEmpty else { return }
        matchMembers(ofAll: groupsOfAllRows(in: table, outside: compared), reason, of: row, into: &matches)
    }

    /// Returns the groups that read an uncompared column.
    private mutating func groupsOfAllRows(in table: Int, outside compared: ColumnSet) -> [Int] {
        // A method of the table would copy it.
        if let last = tables[table].lastOutside, last.compared == compared { return last.groups }
        let outside = tables[table].groupsOfAllRows.filter { group in
            groups[group].part.columns.significant.map { !$0.isSubset(of: compared) } ?? false
        }
        tables[table].lastOutside = (compared, outside)
        return outside
    }
}

// MARK: - Groups of rows

extension RegionIndex {
    private mutating func matchRows(
        _ row: RowChangeSummary, _ values: RowValues, key: RowKey, in table: Int,
        into matches: inout [RegionMatch]
    ) {
        guard case .integer(let rowID) = key else {
            for group in tables[table].groupsOfRows {
                _ = match(group: group, row, values, key: key, into: &matches)
            }
            return
        }
        guard let bucket = tables[table].byRowID[rowID], bucket.allDisarmedAt != armingCount else { return }
        var areAllDisarmed = true
        for group in bucket.groups {
            if !match(group: group, row, values, key: key, into: &matches) { areAllDisarmed = false }
        }
        // For a single group, checking its members is as fast as checking this mark.
        if areAllDisarmed, bucket.groups.count > 1 { tables[table].setAllDisarmed(armingCount, rowID: rowID) }
    }

    /// Matches a group if the change modifies its part.
    ///
    /// - Returns: whether the group has no armed observers left.
    mutating func match(
        group: Int, _ row: RowChangeSummary, _ values: RowValues, key: RowKey,
        into matches: inout [RegionMatch]
    ) -> Bool {
        checkedGroupCount += 1
        guard groups[group].armedCount > 0 else { return true }
        guard let match = groups[group].part.match(row, values) else { return false }
        matchMembers(of: group, .row(row.table, row.kind, key), of: row, match, into: &matches)
        return true
    }
}

// MARK: - Matching observers

extension RegionIndex {
    private mutating func matchMembers(
        ofAll groups: [Int], _ reason: MatchReason, of row: RowChangeSummary? = nil,
        into matches: inout [RegionMatch]
    ) {
        checkedGroupCount += groups.count
        for group in groups { matchMembers(of: group, reason, of: row, into: &matches) }
    }

    private mutating func matchMembers(
        of group: Int, _ reason: MatchReason, of row: RowChangeSummary? = nil,
        _ match: TablePart.RowMatch = TablePart.RowMatch(), into matches: inout [RegionMatch]
    ) {
        guard groups[group].armedCount > 0 else { return }
        let change = MatchedChange(reason, row.map { MatchCause(part: groups[group].part, match, $0) })
        for observer in groups[group].members where !observers[observer].isMatched {
            setMatched(true, at: observer)
            matches.append(RegionMatch(observer: observers[observer].id, change: change, slot: observer))
        }
    }
}
