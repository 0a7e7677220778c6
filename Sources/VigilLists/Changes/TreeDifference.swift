import VigilStorage

/// The entries that differ between two versions of a tree.
struct TreeDifference {
    struct Entry {
        let offset: Int
        let leaf: ListNode
        let index: Int

        init(_ cursor: NodeCursor) {
            offset = cursor.offset
            leaf = cursor.leaf
            index = cursor.index
        }
    }

    /// The entries with keys only in the older tree.
    private var left: [Entry] = []
    /// The entries with keys only in the newer tree.
    private var entered: [Entry] = []
    /// The offsets in the newer tree of entries with a key in both trees, and different elements.
    private var updated: [Int] = []

    typealias Comparison = (_ old: Entry, _ new: Entry) -> Bool

    /// Compares the elements of a row, if its stamps differ.
    private let areEqual: Comparison

    /// Finds the entries. Skips nodes shared by both trees.
    init(from old: ListNode?, to new: ListNode?, areEqual: @escaping Comparison) {
        self.areEqual = areEqual
        defer { withExtendedLifetime((old, new)) {} }
        var pair = NodePair(old, new)
        while pair.skipShared() { mergeLeaves(&pair) }
        forEachEntry(&pair.old) { left.append(Entry($0)) }
        forEachEntry(&pair.new) { entered.append(Entry($0)) }
    }

    private mutating func mergeLeaves(_ pair: inout NodePair) {
        let (old, new) = (pair.old.leaf, pair.new.leaf)
        while true {
            let shared = new.countOfEntries(from: pair.new.index, sharedWith: old, from: pair.old.index)
            pair.old.index += shared
            pair.new.index += shared
            guard pair.old.index < old.count, pair.new.index < new.count else { return }
            let order = old.keys.withKey(at: pair.old.index) { key in
                new.keys.withKey(at: pair.new.index) { compareBytes(key, $0) }
            }
            if order < 0 {
                left.append(Entry(pair.old))
            } else if order > 0 {
                entered.append(Entry(pair.new))
            } else if old.stamps[pair.old.index] != new.stamps[pair.new.index],
                !areEqual(Entry(pair.old), Entry(pair.new))
            {
                updated.append(pair.new.offset)
            }
            if order <= 0 { pair.old.index += 1 }
            if order >= 0 { pair.new.index += 1 }
        }
    }

    /// Visits the entries up to the end.
    private func forEachEntry(_ cursor: inout NodeCursor, _ body: (NodeCursor) -> Void) {
        while let level = cursor.level {
            if level > 0 {
                cursor.descend()
            } else if cursor.isPastLeaf {
                cursor.skip()
            } else {
                body(cursor)
                cursor.index += 1
            }
        }
    }

    /// Returns the difference in offsets. Entries with one identity are the same row.
    func difference(_ shape: ListShape) -> ListDifference {
        ListDifference(
            left: left.map(\.offset), entered: entered.map(\.offset), pairs: rows(shape), updated: updated)
    }

    /// Returns pairs of ``left`` and ``entered`` entries with the same identity, by their indices.
    private func rows(_ shape: ListShape) -> [ListDifference.Pair] {
        if left.isEmpty || entered.isEmpty { return [] }
        func identity(_ entry: Entry) -> RowIdentity {
            entry.leaf.keys.withKey(at: entry.index) { shape.identity(in: $0) }
        }
        func pair(_ old: Int, _ new: Int) -> ListDifference.Pair {
            .init(left: old, entered: new, isUpdated: !areEqual(left[old], entered[new]))
        }
        if left.count == 1, entered.count == 1 {
            return identity(left[0]) == identity(entered[0]) ? [pair(0, 0)] : []
        }
        var places: [RowIdentity: Int] = [:]
        places.reserveCapacity(left.count)
        for (index, entry) in left.enumerated() { places[identity(entry)] = index }
        return entered.enumerated().compactMap { index, entry in
            places[identity(entry)].map { pair($0, index) }
        }
    }
}
