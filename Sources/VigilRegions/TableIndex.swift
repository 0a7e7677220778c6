import VigilStorage

/// The observers of one table: which groups a change of it leads to.
///
/// Groups that read by conditions on values would be found here by a third way, beside row ids and columns.
struct TableIndex: Sendable {
    let name: TableName
    private(set) var groupOfPart: [TablePart: Int] = [:]
    /// The group that reads all columns of all rows.
    private(set) var allColumns: Int?
    /// The groups that read some columns of all rows.
    private(set) var byColumn: [ColumnName: GroupBucket] = [:]
    private(set) var byRowID: [Int64: GroupBucket] = [:]
    /// All groups that read all rows, and all that read some.
    private(set) var groupsOfAllRows: [Int] = []
    private(set) var groupsOfRows: [Int] = []
    /// How many observers, in the groups of each list, were not hit in the current transaction.
    var waitingForAnyRow = 0
    var waitingForRows = 0
    /// See ``groups(outside:)``.
    private var lastOutside: (compared: ColumnSet, groups: [Int])?

    init(name: TableName) {
        self.name = name
    }

    var isEmpty: Bool { groupOfPart.isEmpty }

    var waiting: Int { waitingForAnyRow + waitingForRows }

    /// Adds a group.
    ///
    /// - Returns: its position in its list.
    mutating func insert(_ group: Int, for part: TablePart) -> Int {
        groupOfPart[part] = group
        if let rowIDs = part.rowIDs {
            for rowID in rowIDs { byRowID[rowID, default: GroupBucket()].groups.append(group) }
            groupsOfRows.append(group)
            return groupsOfRows.count - 1
        }
        lastOutside = nil
        if let columns = part.columns {
            for column in columns { byColumn[column, default: GroupBucket()].groups.append(group) }
        } else {
            allColumns = group
        }
        groupsOfAllRows.append(group)
        return groupsOfAllRows.count - 1
    }

    /// Removes a group from its position.
    ///
    /// - Returns: the group that takes the position, if it is another one.
    mutating func remove(_ group: Int, for part: TablePart, at position: Int) -> Int? {
        groupOfPart[part] = nil
        if let rowIDs = part.rowIDs {
            for rowID in rowIDs { Self.remove(group, at: rowID, from: &byRowID) }
            return Self.remove(at: position, from: &groupsOfRows)
        }
        lastOutside = nil
        if let columns = part.columns {
            for column in columns { Self.remove(group, at: column, from: &byColumn) }
        } else {
            allColumns = nil
        }
        return Self.remove(at: position, from: &groupsOfAllRows)
    }

    private static func remove<Key>(
        _ group: Int, at key: Key, from buckets: inout [Key: GroupBucket]
    ) {
        buckets[key]?.groups.remove(group)
        if buckets[key]?.groups.isEmpty ?? false { buckets[key] = nil }
    }

    private static func remove(at position: Int, from groups: inout [Int]) -> Int? {
        let last = groups.removeLast()
        guard position < groups.count else { return nil }
        groups[position] = last
        return last
    }

    mutating func setExhausted(_ revivals: Int, rowID: Int64) {
        byRowID[rowID]?.exhaustedAt = revivals
    }

    mutating func setExhausted(_ revivals: Int, column: ColumnName) {
        byColumn[column]?.exhaustedAt = revivals
    }

    /// The groups that read all rows, and a column that is not among the compared ones, if that was found
    /// out. It is remembered because a table is compared in the same way again and again.
    func groups(outside compared: ColumnSet) -> [Int]? {
        lastOutside.flatMap { $0.compared == compared ? $0.groups : nil }
    }

    mutating func setGroups(_ groups: [Int], outside compared: ColumnSet) {
        lastOutside = (compared, groups)
    }
}
