/// The observers that read the same part of the same table. They are hit together.
///
/// There may be one for each observer, so it is kept small.
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

    let part: TablePart
    /// The slots of the observers.
    var members = CompactList<Int>()
    /// For a group that is found by values: where it is in trees.
    var anchors: [ValueIndex.Anchor] = []
    private let tableSlot: Int32
    private var waitingCount: Int32 = 0
    private var positionInList: Int32 = 0
    private var classNumber: Int32 = 0
    let kind: Kind

    init(table: Int?, part: TablePart) {
        tableSlot = Int32(table ?? -1)
        self.part = part
        kind = Self.kind(of: part)
    }

    /// How the group of a part is found.
    static func kind(of part: TablePart) -> Kind {
        if part.rowIDs != nil { return .rows }
        guard let predicates = part.predicates else { return .anyRow }
        return predicates.areOfRowIDs ? .rows : .values
    }

    /// The slot of the table; `nil` for the group of those who read the full database.
    var table: Int? { tableSlot < 0 ? nil : Int(tableSlot) }

    /// How many members were not hit in the current transaction.
    var waiting: Int {
        get { Int(waitingCount) }
        set { waitingCount = Int32(newValue) }
    }

    /// Where the group is in its table's list, or in its class.
    var position: Int {
        get { Int(positionInList) }
        set { positionInList = Int32(newValue) }
    }

    /// The class of a group that is found by values.
    var valueClass: Int {
        get { Int(classNumber) }
        set { classNumber = Int32(newValue) }
    }
}

/// The groups that one row id, or one column, leads to.
struct GroupBucket: Sendable {
    var groups = CompactList<Int>()
    /// The value of ``RegionIndex/revivals`` when all the groups were found to be hit; as long as it stays,
    /// nobody needs to look again.
    var exhaustedAt = -1
}
