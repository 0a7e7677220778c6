import VigilStorage

/// The groups of a table found by the values of a changed row.
///
/// Each conjunction of a group has one entry, by its presumably most selective test: by row id, by value or
/// by interval, in this order. Each group found is then checked completely.
struct ValueIndex: Sendable {
    /// The node of a group in one of the trees of a column.
    struct ColumnNode: Sendable {
        var column: Int
        var node: ColumnIndex.TreeNode
    }

    /// The groups affected by the same updates, whatever the values. Without row images, nothing else is
    /// known.
    struct Class: Sendable {
        /// The part of one of the groups.
        let part: TablePart
        var groups: [Int] = []
        var armedCount = 0
    }

    private struct ClassKey: Sendable, Hashable {
        let columns: ColumnSelection
        let tested: ColumnSet
        let testsRowID: Bool
    }

    /// An index for each column in use, and empty ones for reuse.
    private var columns: [ColumnIndex] = []
    private var slotOfColumn: [TestedColumn: Int] = [:]
    private(set) var classes: [Class] = []
    private var classOfKey: [ClassKey: Int] = [:]
    /// The stored columns with indexed values.
    private(set) var names: [ColumnName] = []
    /// The number of groups with a conjunction entered by row id.
    private(set) var rowIDGroupCount = 0
    private(set) var positions: ImagePositions?

    init() {}

    // MARK: Groups

    /// Adds a group.
    ///
    /// - Parameter addRowID: called for each row id of the group's entries. The caller keeps these row ids.
    /// - Returns: its class, its position in the class, and its nodes in trees.
    mutating func insert(
        _ group: Int, _ part: TablePart, addRowID: (Int64) -> Void
    ) -> (class: Int, position: Int, columnNodes: [ColumnNode]) {
        var columnNodes: [ColumnNode] = []
        var usesRowIDs = false
        for conjunction in part.predicates?.alternatives ?? CompactList() {
            switch conjunction.entry {
            case .rowIDs(let rowIDs):
                usesRowIDs = true
                rowIDs.forEach(addRowID)
            case .test(let test):
                let column = slot(for: test.column)
                if let node = columns[column].insert(group, test.test, isArmed: false) {
                    columnNodes.append(ColumnNode(column: column, node: node))
                }
            }
        }
        if usesRowIDs { rowIDGroupCount += 1 }
        let number = classNumber(of: part)
        classes[number].groups.append(group)
        return (number, classes[number].groups.count - 1, columnNodes)
    }

    /// Removes a group, and returns the group moved to its position in the class; `nil` if it was the last.
    mutating func remove(
        _ group: RegionGroup, _ number: Int, removeRowID: (Int64) -> Void
    ) -> Int? {
        var usesRowIDs = false
        for conjunction in group.part.predicates?.alternatives ?? CompactList() {
            switch conjunction.entry {
            case .rowIDs(let rowIDs):
                usesRowIDs = true
                rowIDs.forEach(removeRowID)
            case .test(let test):
                guard let column = slotOfColumn[test.column] else { continue }
                columns[column].remove(number, test.test)
            }
        }
        for columnNode in group.columnNodes { columns[columnNode.column].remove(at: columnNode.node) }
        for test in group.part.predicates?.entryColumns ?? [] { removeColumnIfEmpty(test) }
        if usesRowIDs { rowIDGroupCount -= 1 }
        let last = classes[group.valueClass].groups.removeLast()
        guard last != number else { return nil }
        classes[group.valueClass].groups[group.position] = last
        return last
    }

    private mutating func classNumber(of part: TablePart) -> Int {
        let key = ClassKey(
            columns: part.columns, tested: part.predicates?.columns ?? ColumnSet(),
            testsRowID: part.predicates?.testsRowID ?? false)
        if let known = classOfKey[key] { return known }
        classOfKey[key] = classes.count
        classes.append(Class(part: part))
        return classes.count - 1
    }

    private mutating func slot(for column: TestedColumn) -> Int {
        if let known = slotOfColumn[column] { return known }
        let slot = columns.firstIndex(where: \.isEmpty) ?? columns.count
        if slot == columns.count { columns.append(ColumnIndex(column: column)) }
        columns[slot] = ColumnIndex(column: column)
        slotOfColumn[column] = slot
        didChangeColumns()
        return slot
    }

    private mutating func removeColumnIfEmpty(_ column: TestedColumn) {
        guard let slot = slotOfColumn[column], columns[slot].isEmpty else { return }
        slotOfColumn[column] = nil
        didChangeColumns()
    }

    private mutating func didChangeColumns() {
        let entered = slotOfColumn.keys.compactMap { column -> ColumnName? in
            if case .named(let name) = column.column { name } else { nil }
        }
        names = Array(ColumnSet(names: entered))
        locateColumns()
    }

    mutating func addArmed(_ number: Int, inClass index: Int) {
        classes[index].armedCount += number
    }

    mutating func setArmed(_ isArmed: Bool, at columnNode: ColumnNode) {
        columns[columnNode.column].setArmed(isArmed, at: columnNode.node)
    }

    // MARK: Finding

    /// Appends at least the groups matched by a change of a row, except groups found by row id.
    ///
    /// It is `mutating` only to work in place. Otherwise copying, retaining and releasing the index for each
    /// row took half of the time.
    mutating func find(_ row: RowKeys, _ images: any RowImages, into found: inout FoundGroups) {
        for slot in columns.indices { columns[slot].find(row, images, into: &found) }
    }

    /// Appends the groups affected by an insertion, a deletion or the update, whatever the values.
    func findClasses(_ row: RowChangeSummary, into found: inout FoundGroups) {
        for candidate in classes where candidate.armedCount > 0 {
            guard row.kind != .update || candidate.part.isMatched(byUpdate: row) else { continue }
            found.groups.append(contentsOf: candidate.groups)
            found.visitCount += candidate.groups.count
        }
    }

    /// Returns whether the row id is unknown, so the change may match any group found by row id.
    func mayMatchAnyRowID(_ row: RowKeys) -> Bool {
        rowIDGroupCount > 0 && (row.old.isUnknown || row.new.isUnknown)
    }

    // MARK: Images

    /// Caches the positions of the columns in the images. Costs one comparison while the table stays the
    /// same.
    mutating func prepare(for images: (any RowImages)?) {
        guard let images else { return }
        let names = images.columnNames
        if let positions, positions.names.isIdentical(to: names) { return }
        positions = ImagePositions(names: names)
        locateColumns()
    }

    private mutating func locateColumns() {
        for slot in columns.indices {
            guard case .named(let name) = columns[slot].column.column else { continue }
            columns[slot].position = positions?.position(of: name) ?? -1
        }
    }
}

extension Conjunction {
    /// An entry of a conjunction in the index.
    enum Entry {
        case rowIDs([Int64])
        case test(ColumnTest)
    }

    /// The entry of the conjunction. It has at least one test: predicates with an empty conjunction are not
    /// kept, because any row meets them.
    var entry: Entry {
        if let ofRows = tests.first(where: { $0.column.column == .rowID }), let keys = ofRows.keys {
            return .rowIDs(
                keys.compactMap { key in
                    // Only an integer equals a row id.
                    if case .integer(let rowID) = key { rowID } else { nil }
                })
        }
        let best = tests.min { $0.likelihood < $1.likelihood }
        return best.map { .test($0) } ?? .rowIDs([])
    }
}

extension ColumnTest {
    /// A rank of the test by the presumable number of rows meeting it, from few to many.
    fileprivate var likelihood: Int {
        switch test {
        case .equals: 1
        case .oneOf(let keys): keys.count
        // A longer prefix matches fewer rows.
        case .prefix(let bytes): 9_999 - min(bytes.count, 64)
        case .within(let interval) where interval.lower != nil && interval.upper != nil: 10_000
        case .within(let interval) where interval.lower != nil || interval.upper != nil: 20_000
        case .isNull: 30_000
        case .within: 40_000
        }
    }
}

extension RowPredicates {
    /// Whether row ids find all rows meeting the predicates.
    var areOfRowIDs: Bool {
        alternatives.allSatisfy { if case .rowIDs = $0.entry { true } else { false } }
    }

    fileprivate var entryColumns: [TestedColumn] {
        alternatives.compactMap { if case .test(let test) = $0.entry { test.column } else { nil } }
    }
}
