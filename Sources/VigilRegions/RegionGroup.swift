/// The observers that read the same part of the same table. They are hit together.
struct RegionGroup: Sendable {
    /// The slot of the table; `nil` for the group of those who read the full database.
    let table: Int?
    let part: TablePart
    /// The slots of the observers.
    var members = CompactList<Int>()
    /// How many members were not hit in the current transaction.
    var waiting = 0
    /// Where the group is in its table's list.
    var position = 0

    var isOfRows: Bool { part.rowIDs != nil }
}

/// The groups that one row id, or one column, leads to.
struct GroupBucket: Sendable {
    var groups = CompactList<Int>()
    /// The value of ``RegionIndex/revivals`` when all the groups were found to be hit; as long as it stays,
    /// nobody needs to look again.
    var exhaustedAt = -1
}
