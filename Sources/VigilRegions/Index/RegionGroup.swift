/// The observers of the same part of the same table. They match together.
///
/// There may be as many groups as observers, so a group is small.
struct RegionGroup: Sendable {
    /// How a group is found.
    enum Kind: Sendable {
        /// By any row, and by the changed columns.
        case anyRow
        /// By row id.
        case rows
        /// By the values of the row.
        case values
    }

    let part: TablePart
    /// The slots of the observers.
    var members = CompactList<Int>()
    /// The tree nodes of a group found by values.
    var columnNodes: [ValueIndex.ColumnNode] = []
    private let tableSlot: Int32
    private var storedArmedCount: Int32 = 0
    private var positionInList: Int32 = 0
    private var classNumber: Int32 = 0
    let kind: Kind

    init(table: Int?, part: TablePart) {
        tableSlot = Int32(table ?? -1)
        self.part = part
        kind = Self.kind(of: part)
    }

    /// Returns how the group of a part is found.
    static func kind(of part: TablePart) -> Kind {
        if part.rowIDs != nil { return .rows }
        guard let predicates = part.predicates else { return .anyRow }
        return predicates.areOfRowIDs ? .rows : .values
    }

    /// The slot of the table; `nil` for the group of observers of the full database.
    var table: Int? { tableSlot < 0 ? nil : Int(tableSlot) }

    /// The number of armed members, without a match in the current transaction.
    var armedCount: Int {
        get { Int(storedArmedCount) }
        set { storedArmedCount = Int32(newValue) }
    }

    /// The position of the group in its table's list, or in its class.
    var position: Int {
        get { Int(positionInList) }
        set { positionInList = Int32(newValue) }
    }

    /// The class of a group found by values.
    var valueClass: Int {
        get { Int(classNumber) }
        set { classNumber = Int32(newValue) }
    }
}

/// The groups for one row id or one column.
struct GroupBucket: Sendable {
    var groups = CompactList<Int>()
    /// The value of ``RegionIndex/armingCount`` when none of the groups had armed observers. While it is
    /// unchanged, the groups need not be checked.
    var allDisarmedAt = -1
}
