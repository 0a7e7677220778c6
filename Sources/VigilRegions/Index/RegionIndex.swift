package import VigilStorage

/// An index of observers by region, to find the observers affected by a change.
///
/// Matching costs O(log n + matches): a changed row costs one look-up for observers of single rows, one for
/// each changed column, one for each column with conditions, and the matches. Observers with equal parts are
/// kept, and match, together.
///
/// An observer matches once in a transaction, and is then disarmed. The index does not check it again: when
/// all observers of a table are disarmed, the answer for further changes is immediate. After the transaction,
/// or after a partial rollback, ``TransactionChanges`` arms them again (``rearm(_:)``).
///
/// With 100,000 observers, an observer of a row takes about 600 bytes, one of `team = k` 820, one of an
/// interval 940; with 10,000 observers 550, 790 and 940, including the region (growth of the resident memory,
/// release build).
package struct RegionIndex: Sendable {
    struct Observer: Sendable {
        let id: ObserverID
        /// The groups of the observer, one for each table of its region, with its position in each.
        var memberships = CompactList<Membership>()
        var isMatched = false
    }

    struct Membership: Sendable {
        private let groupSlot: Int32
        private var positionInGroup: Int32

        init(group: Int, position: Int) {
            groupSlot = Int32(group)
            positionInGroup = Int32(position)
        }

        var group: Int { Int(groupSlot) }

        var position: Int {
            get { Int(positionInGroup) }
            set { positionInGroup = Int32(newValue) }
        }
    }

    private var slotOfObserver: [ObserverID: Int] = [:]
    private var slotOfTable: [TableName: Int] = [:]
    private(set) var observers = SlotArray(vacant: Observer(id: ObserverID(-1)))
    var groups = SlotArray(vacant: RegionGroup(table: nil, part: TablePart()))
    var tables = SlotArray(vacant: TableIndex(name: TableName(name: "")))
    /// The group of the observers of the full database.
    let fullDatabase: Int
    /// The number of times observers were armed. See ``GroupBucket/allDisarmedAt``.
    private(set) var armingCount = 0
    /// The groups found by values of the current row.
    var found = FoundGroups()
    var checkedGroupCount = 0
    /// The table of the last look-up. Successive changes usually belong to one table.
    private var currentTable = TableName(name: "")
    private var currentSlot: Int?

    /// The number of visited groups and tree nodes. It determines the cost of matching.
    package var visitCount: Int { checkedGroupCount + found.visitCount }

    /// The number of groups found by the values of a row, for each table with such groups.
    package private(set) var tablesFoundByValues: [TableName: Int] = [:]

    package init() {
        fullDatabase = groups.insert(RegionGroup(table: nil, part: TablePart()))
    }

    /// Registers an observer. It matches subsequent changes.
    package mutating func insert(_ observer: ObserverID, region: DatabaseRegion) {
        trap(
            unless: slotOfObserver[observer] == nil, "observer \(observer) is already registered")
        let slot = observers.insert(Observer(id: observer))
        slotOfObserver[observer] = slot
        addMemberships(of: slot, in: region)
    }

    /// Unregisters an observer. Does nothing if it is not registered.
    package mutating func remove(_ observer: ObserverID) {
        guard let slot = slotOfObserver.removeValue(forKey: observer) else { return }
        removeMemberships(of: slot)
        observers.remove(at: slot)
    }

    /// Replaces the region of an observer. An observer with a match in this transaction stays disarmed.
    ///
    /// - Returns: `false` if the observer is not registered.
    @discardableResult
    package mutating func replaceRegion(of observer: ObserverID, with region: DatabaseRegion) -> Bool {
        guard let slot = slotOfObserver[observer] else { return false }
        removeMemberships(of: slot)
        addMemberships(of: slot, in: region)
        return true
    }

    func slot(of table: TableName) -> Int? { slotOfTable[table] }

    mutating func currentSlot(of table: TableName) -> Int? {
        if let currentSlot, currentTable == table { return currentSlot }
        guard let slot = slotOfTable[table] else { return nil }
        (currentTable, currentSlot) = (table, slot)
        return slot
    }
}

// MARK: - Groups

extension RegionIndex {
    private mutating func addMemberships(of observer: Int, in region: DatabaseRegion) {
        armingCount += 1
        guard let contents = region.contents else {
            addMember(observer, to: fullDatabase)
            return
        }
        for part in contents { addMember(observer, to: group(for: part)) }
    }

    private mutating func addMember(_ observer: Int, to group: Int) {
        let position = groups[group].members.count
        groups[group].members.append(observer)
        observers[observer].memberships.append(Membership(group: group, position: position))
        if !observers[observer].isMatched { addArmed(1, in: group) }
    }

    private mutating func removeMemberships(of observer: Int) {
        for membership in observers[observer].memberships {
            if !observers[observer].isMatched { addArmed(-1, in: membership.group) }
            removeMember(membership)
        }
        observers[observer].memberships = CompactList()
    }

    private mutating func removeMember(_ membership: Membership) {
        let (group, position) = (membership.group, membership.position)
        groups[group].members.removeBySwapping(at: position)
        if position < groups[group].members.count {
            let moved = groups[group].members[position]
            for index in 0..<observers[moved].memberships.count
            where observers[moved].memberships[index].group == group {
                observers[moved].memberships[index].position = position
            }
        }
        if groups[group].members.isEmpty, group != fullDatabase { removeGroup(group) }
    }

    private mutating func group(for region: TableRegion) -> Int {
        let table: Int
        if let slot = slotOfTable[region.table] {
            table = slot
        } else {
            table = tables.insert(TableIndex(name: region.table))
            slotOfTable[region.table] = table
        }
        if let group = tables[table].group(of: region.part, in: groups) { return group }
        let group = groups.insert(RegionGroup(table: table, part: region.part))
        tables[table].insert(group, &groups[group])
        if case .values = groups[group].kind { tablesFoundByValues[region.table, default: 0] += 1 }
        return group
    }

    private mutating func removeGroup(_ index: Int) {
        let group = groups[index]
        groups.remove(at: index)
        guard let table = group.table else { return }
        if case .values = group.kind { forgetGroupFoundByValues(of: tables[table].name) }
        if let moved = tables[table].remove(index, group) { groups[moved].position = group.position }
        if tables[table].isEmpty {
            slotOfTable[tables[table].name] = nil
            currentSlot = nil
            tables.remove(at: table)
        }
    }

    private mutating func forgetGroupFoundByValues(of table: TableName) {
        guard let count = tablesFoundByValues[table] else { return }
        tablesFoundByValues[table] = count > 1 ? count - 1 : nil
    }

    private mutating func addArmed(_ number: Int, in group: Int) {
        let before = groups[group].armedCount
        groups[group].armedCount += number
        guard let table = groups[group].table else { return }
        switch groups[group].kind {
        case .anyRow: tables[table].armedForAnyRow += number
        case .rows: tables[table].armedForRows += number
        case .values:
            tables[table].armedForValues += number
            tables[table].values.addArmed(number, inClass: groups[group].valueClass)
            guard (before == 0) != (before + number == 0) else { return }
            for columnNode in groups[group].columnNodes {
                tables[table].values.setArmed(before == 0, at: columnNode)
            }
        }
    }
}

// MARK: - Matched observers

extension RegionIndex {
    /// Returns whether an observer has matched in the current transaction.
    package func isMatched(_ observer: ObserverID) -> Bool {
        slotOfObserver[observer].map { observers[$0].isMatched } ?? false
    }

    /// Returns whether the observer of an earlier match is registered, and still counts as matched.
    func isMatched(_ match: RegionMatch) -> Bool { slot(of: match).map { observers[$0].isMatched } ?? false }

    private func slot(of match: RegionMatch) -> Int? {
        // Most observers stay registered, and need no look-up (bench: one-row-hit).
        observers[match.slot].id == match.observer ? match.slot : slotOfObserver[match.observer]
    }

    mutating func setMatched(_ isMatched: Bool, at observer: Int) {
        guard observers[observer].isMatched != isMatched else { return }
        observers[observer].isMatched = isMatched
        for membership in observers[observer].memberships {
            addArmed(isMatched ? -1 : 1, in: membership.group)
        }
    }

    /// Arms observers again, after their transaction ended or the matching changes were undone. Ignores
    /// unregistered observers.
    package mutating func rearm(_ matches: some Sequence<RegionMatch>) {
        armingCount += 1
        for match in matches {
            if let slot = slot(of: match) { setMatched(false, at: slot) }
        }
    }
}
