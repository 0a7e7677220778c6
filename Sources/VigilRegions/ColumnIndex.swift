import VigilStorage

/// The groups of a table that a value of one column leads to, under one collation.
struct ColumnIndex: Sendable {
    let column: TestedColumn
    /// Where the images of the table have the column; `nil` if they do not, or nobody has seen any.
    var position: Int?
    /// By the hash of a value that is wanted, or of NULL. Those with another value of the same hash are there too: a
    /// group is looked at in full before it is hit. So no value is kept here, and none is copied for a look-up.
    private var byHash: [Int: CompactList<Int>] = [:]
    private(set) var intervals = IntervalTree()

    init(column: TestedColumn) {
        self.column = column
    }

    var isEmpty: Bool { byHash.isEmpty && intervals.isEmpty }

    private static func hash(_ value: ComparedValue?) -> Int { value?.hash ?? 0 }

    private static func hashes(of test: ColumnTest.Test) -> [Int] {
        switch test {
        case .equals(let key): [key.withCompared { hash($0) }]
        case .oneOf(let keys): keys.map { $0.withCompared { hash($0) } }
        case .isNull: [hash(nil)]
        case .within: []
        }
    }

    /// Adds a group.
    ///
    /// - Returns: the node of the tree of intervals, if it is there.
    mutating func insert(_ group: Int, _ test: ColumnTest.Test, isWaiting: Bool) -> Int? {
        if case .within(let interval) = test {
            return intervals.insert(interval, group: group, isWaiting: isWaiting)
        }
        for hash in Self.hashes(of: test) { byHash[hash, default: CompactList()].append(group) }
        return nil
    }

    /// Removes a group, unless it is in the tree of intervals.
    mutating func remove(_ group: Int, _ test: ColumnTest.Test) {
        for hash in Self.hashes(of: test) {
            byHash[hash]?.remove(group)
            if byHash[hash]?.isEmpty ?? false { byHash[hash] = nil }
        }
    }

    mutating func removeInterval(_ node: Int) {
        intervals.remove(node)
    }

    mutating func setWaiting(_ isWaiting: Bool, at node: Int) {
        intervals.setWaiting(isWaiting, at: node)
    }

    /// Appends groups that may want a value, `nil` for NULL.
    ///
    /// - Returns: how many groups and nodes it looked at.
    func find(_ value: ComparedValue?, into groups: inout [Int]) -> Int {
        var looks = 0
        if !byHash.isEmpty, let bucket = byHash[Self.hash(value)] {
            for group in bucket { groups.append(group) }
            looks += bucket.count
        }
        if let value, intervals.isAnyoneWaiting { looks += intervals.find(value, into: &groups) }
        return looks
    }

    /// Appends all groups: the value may be any.
    func findAll(into groups: inout [Int]) -> Int {
        let count = groups.count
        for bucket in byHash.values { groups.append(contentsOf: bucket) }
        intervals.findAll(into: &groups)
        return groups.count - count
    }
}
