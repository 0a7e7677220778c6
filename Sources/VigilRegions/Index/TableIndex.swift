import VigilStorage

/// The groups of observers of one table, by the changes relevant to them.
struct TableIndex: Sendable {
    let name: TableName
    /// All groups except the ones found by row id.
    private var groupOfPart: [TablePart: Int] = [:]
    /// The group of all columns of all rows.
    private(set) var allColumns: Int?
    /// The groups depending on the existence of rows. See ``ColumnSelection/countsRows``.
    private(set) var counting: [Int] = []
    /// The groups of some columns of all rows.
    private(set) var byColumn: [ColumnName: GroupBucket] = [:]
    private(set) var byRowID: [Int64: GroupBucket] = [:]
    var values = ValueIndex()
    /// The groups found by any row, and the groups found only by row id.
    private(set) var groupsOfAllRows: [Int] = []
    private(set) var groupsOfRows: [Int] = []
    /// The numbers of armed observers in the groups of each kind.
    var armedForAnyRow = 0
    var armedForRows = 0
    var armedForValues = 0
    /// The groups that read all rows, and a column outside the compared ones; `nil` if they are not cached.
    /// Successive updates of a table usually compare the same columns.
    var lastOutside: (compared: ColumnSet, groups: [Int])?

    init(name: TableName) {
        self.name = name
    }

    var isEmpty: Bool { groupOfPart.isEmpty && groupsOfRows.isEmpty }

    /// Returns the group of a part. A group of row ids is looked up by its rarest row id.
    func group(of part: TablePart, in groups: borrowing SlotArray<RegionGroup>) -> Int? {
        guard RegionGroup.kind(of: part) == .rows else { return groupOfPart[part] }
        let rowIDs = Self.rowIDs(of: part)
        guard !rowIDs.isEmpty else { return groupsOfRows.first { groups[$0].part == part } }
        var rarest: CompactList<Int>?
        for rowID in rowIDs {
            guard let found = byRowID[rowID]?.groups else { return nil }
            if found.count < rarest?.count ?? .max { rarest = found }
        }
        return rarest?.first { groups[$0].part == part }
    }

    var armedCount: Int { armedForAnyRow + armedForRows + armedForValues }

    /// Whether a group found by row id has armed observers.
    var hasArmedRowIDGroups: Bool {
        armedForRows > 0 || (armedForValues > 0 && values.rowIDGroupCount > 0)
    }

    /// Adds a group, and sets its position.
    mutating func insert(_ index: Int, _ group: inout RegionGroup) {
        let part = group.part
        if group.kind != .rows { groupOfPart[part] = index }
        switch group.kind {
        case .anyRow:
            insert(index, columns: part.columns)
            group.position = groupsOfAllRows.count
            groupsOfAllRows.append(index)
        case .rows:
            for rowID in Self.rowIDs(of: part) { addToBucket(index, rowID) }
            group.position = groupsOfRows.count
            groupsOfRows.append(index)
        case .values:
            var rowIDs: [Int64] = []
            (group.valueClass, group.position, group.columnNodes) = values.insert(index, part) {
                rowIDs.append($0)
            }
            for rowID in rowIDs { addToBucket(index, rowID) }
        }
    }

    /// Removes a group, and returns the group moved to its position; `nil` if it was the last one.
    mutating func remove(_ index: Int, _ group: RegionGroup) -> Int? {
        let part = group.part
        if group.kind != .rows { groupOfPart[part] = nil }
        switch group.kind {
        case .anyRow:
            remove(index, columns: part.columns)
            return Self.remove(at: group.position, from: &groupsOfAllRows)
        case .rows:
            for rowID in Self.rowIDs(of: part) { removeFromBucket(index, rowID) }
            return Self.remove(at: group.position, from: &groupsOfRows)
        case .values:
            var rowIDs: [Int64] = []
            let moved = values.remove(group, index) { rowIDs.append($0) }
            for rowID in rowIDs { removeFromBucket(index, rowID) }
            return moved
        }
    }

    private mutating func insert(_ group: Int, columns: ColumnSelection) {
        lastOutside = nil
        if columns.countsRows { counting.append(group) }
        guard let significant = columns.significant else {
            allColumns = group
            return
        }
        for column in significant { byColumn[column, default: GroupBucket()].groups.append(group) }
    }

    private mutating func remove(_ group: Int, columns: ColumnSelection) {
        lastOutside = nil
        if columns.countsRows { counting.removeAll { $0 == group } }
        guard let significant = columns.significant else {
            allColumns = nil
            return
        }
        for column in significant {
            byColumn[column]?.groups.remove(group)
            if byColumn[column]?.groups.isEmpty ?? false { byColumn[column] = nil }
        }
    }

    /// Returns the row ids to find a part by, possibly with duplicates.
    private static func rowIDs(of part: TablePart) -> [Int64] {
        if let rowIDs = part.rowIDs { return Array(rowIDs) }
        return (part.predicates?.alternatives ?? CompactList()).flatMap { conjunction -> [Int64] in
            if case .rowIDs(let rowIDs) = conjunction.entry { rowIDs } else { [] }
        }
    }

    private mutating func addToBucket(_ group: Int, _ rowID: Int64) {
        byRowID[rowID, default: GroupBucket()].groups.append(group)
    }

    private mutating func removeFromBucket(_ group: Int, _ rowID: Int64) {
        byRowID[rowID]?.groups.remove(group)
        if byRowID[rowID]?.groups.isEmpty ?? false { byRowID[rowID] = nil }
    }

    private static func remove(at position: Int, from groups: inout [Int]) -> Int? {
        let last = groups.removeLast()
        guard position < groups.count else { return nil }
        groups[position] = last
        return last
    }

    mutating func setAllDisarmed(_ armingCount: Int, rowID: Int64) {
        byRowID[rowID]?.allDisarmedAt = armingCount
    }

    mutating func setAllDisarmed(_ armingCount: Int, column: ColumnName) {
        byColumn[column]?.allDisarmedAt = armingCount
    }
}
