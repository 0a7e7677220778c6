import VigilStorage

/// The groups of a table with conditions on one column, under one collation.
struct ColumnIndex: Sendable {
    let column: TestedColumn
    private let isRowID: Bool
    private let collation: RowCondition.Collation
    /// The position of the column in the table's row images; -1 without it, and before the first images.
    var position = -1
    /// The groups by the hashes of their values, NULL included. A look-up also finds groups for other values
    /// with the same hash. This is harmless, because each group is checked completely before it matches. The
    /// index thus keeps no values, and a look-up copies none.
    private var byHash: [Int: CompactList<Int>] = [:]
    private var intervals = IntervalTree()
    /// The groups of texts with a prefix and of everything except text. They are separate from groups of
    /// intervals, so looking up a text visits fewer groups. See ``find(_:into:)``.
    private var prefixes = IntervalTree()

    init(column: TestedColumn) {
        self.column = column
        isRowID = column.column == .rowID
        collation = column.collation
    }

    var isEmpty: Bool { byHash.isEmpty && intervals.isEmpty && prefixes.isEmpty }

    /// A node in one of the trees.
    enum TreeNode: Sendable {
        case interval(Int)
        case prefix(Int)
    }

    private static func hash(_ value: ComparedValue?) -> Int { value?.hash ?? 0x6e75_6c6c }

    private static func hashes(of test: ColumnTest.Test) -> [Int] {
        switch test {
        case .equals(let key): [key.withCompared { hash($0) }]
        case .oneOf(let keys): keys.map { $0.withCompared { hash($0) } }
        case .isNull: [hash(nil)]
        case .within, .prefix: []
        }
    }

    /// Adds a group.
    ///
    /// - Returns: its node; `nil` if it is not in a tree.
    mutating func insert(_ group: Int, _ test: ColumnTest.Test, isArmed: Bool) -> TreeNode? {
        if case .within(let interval) = test {
            return .interval(intervals.insert(interval, group: group, isArmed: isArmed))
        }
        if case .prefix(let bytes) = test {
            let texts = Interval(textsWithPrefix: bytes)
            return .prefix(prefixes.insert(texts, group: group, isArmed: isArmed))
        }
        for hash in Self.hashes(of: test) { byHash[hash, default: CompactList()].append(group) }
        return nil
    }

    /// Removes a group, unless it is in a tree.
    mutating func remove(_ group: Int, _ test: ColumnTest.Test) {
        for hash in Self.hashes(of: test) {
            byHash[hash]?.remove(group)
            if byHash[hash]?.isEmpty ?? false { byHash[hash] = nil }
        }
    }

    mutating func remove(at node: TreeNode) {
        switch node {
        case .interval(let node): intervals.remove(node)
        case .prefix(let node): prefixes.remove(node)
        }
    }

    mutating func setArmed(_ isArmed: Bool, at node: TreeNode) {
        switch node {
        case .interval(let node): intervals.setArmed(isArmed, at: node)
        case .prefix(let node): prefixes.setArmed(isArmed, at: node)
        }
    }

    /// Appends the groups that may match a value; `nil` stands for NULL.
    private mutating func find(_ value: ComparedValue?, into found: inout FoundGroups) {
        if !byHash.isEmpty, let bucket = byHash[Self.hash(value)] {
            for group in bucket { found.groups.append(group) }
            found.visitCount += bucket.count
        }
        guard let value else { return }
        if intervals.hasArmedGroups {
            found.visitCount += intervals.find(value, into: &found.groups)
        }
        if prefixes.hasArmedGroups {
            // Anything except text matches all of them.
            found.visitCount +=
                value.isText
                ? prefixes.find(value, into: &found.groups) : prefixes.findAll(into: &found.groups)
        }
    }

    /// Appends all groups, because the value is unknown.
    private mutating func findAll(into found: inout FoundGroups) {
        let count = found.groups.count
        for bucket in byHash.values { found.groups.append(contentsOf: bucket) }
        intervals.findAll(into: &found.groups)
        prefixes.findAll(into: &found.groups)
        found.visitCount += found.groups.count - count
    }
}

/// Groups to be checked completely. Kept between rows to avoid an allocation for each row.
struct FoundGroups: Sendable {
    var groups: [Int] = []
    /// Whether the groups were found for the current row.
    var isCurrent = false
    /// The number of groups and tree nodes visited by the search.
    var visitCount = 0
}

// MARK: - Rows

extension ColumnIndex {
    /// Appends the groups that may match a value of the row before or after the change.
    mutating func find(_ row: RowKeys, _ images: any RowImages, into found: inout FoundGroups) {
        if isEmpty { return }
        if isRowID {
            find(row.old, into: &found)
            if !row.isSame { find(row.new, into: &found) }
            return
        }
        guard position >= 0 else { return findAll(into: &found) }
        let old = row.old.isAbsent ? nil : images.oldValue(at: position)
        let new = row.new.isAbsent ? nil : images.newValue(at: position)
        guard row.old.isAbsent || old != nil, row.new.isAbsent || new != nil else {
            return findAll(into: &found)
        }
        if let old { old.withCompared(collation) { find($0, into: &found) } }
        if let new, !(old.map { new.isIdentical(to: $0) } ?? false) {
            new.withCompared(collation) { find($0, into: &found) }
        }
    }

    private mutating func find(_ rowID: RowKeys.LookupKey, into found: inout FoundGroups) {
        switch rowID {
        case .absent: return
        case .rowID(let rowID): find(ComparedValue.integer(rowID), into: &found)
        case .unknown: findAll(into: &found)
        }
    }
}
