/// The observers that read the same part of the same table. They are hit together.
struct RegionGroup: Sendable {
    /// How a group is found.
    enum Kind: Sendable {
        /// By any row, and the columns that change.
        case anyRow
        /// By row id.
        case rows
        /// By values of the row.
        case values
    }

    /// The slot of the table; `nil` for the group of those who read the full database.
    let table: Int?
    let part: TablePart
    let kind: Kind
    /// The slots of the observers.
    var members = CompactList<Int>()
    /// How many members were not hit in the current transaction.
    var waiting = 0
    /// Where the group is in its table's list, or in its class.
    var position = 0
    /// For a group that is found by values: its class, and where it is in trees.
    var valueClass = 0
    var anchors: [ValueIndex.Anchor] = []

    init(table: Int?, part: TablePart) {
        self.table = table
        self.part = part
        if part.rowIDs != nil {
            kind = .rows
        } else if let predicates = part.predicates {
            kind = predicates.areOfRowIDs ? .rows : .values
        } else {
            kind = .anyRow
        }
    }
}

/// The groups that one row id, or one column, leads to.
struct GroupBucket: Sendable {
    var groups = CompactList<Int>()
    /// The value of ``RegionIndex/revivals`` when all the groups were found to be hit; as long as it stays,
    /// nobody needs to look again.
    var exhaustedAt = -1
}
