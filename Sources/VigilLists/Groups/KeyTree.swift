import VigilStorage

/// Keys in ascending order, without elements.
struct KeyTree: Sendable {
    private(set) var root: ListNode?
    /// The memory of the keys, roughly.
    private(set) var byteCount = 0

    /// The memory of an entry beside its key: its end, and its part of the nodes.
    private static let entryByteCount = 12

    var count: Int { root?.count ?? 0 }

    private mutating func count(_ key: UnsafeRawBufferPointer, sign: Int) {
        byteCount += sign * (key.count + Self.entryByteCount)
    }

    /// Removes a key that is present, inserts one that is not, or both.
    mutating func edit(removing removed: UnsafeRawBufferPointer?, inserting inserted: UnsafeRawBufferPointer?)
    {
        if let removed { count(removed, sign: -1) }
        if let inserted { count(inserted, sign: 1) }
        if let root, let edited = SingleEdit(removed: removed, inserted: inserted).edited(root) {
            self.root = edited
            return
        }
        var edits = TreeEdits()
        let removesFirst = removed.map { removed in
            inserted.map { compareBytes(removed, $0) < 0 } ?? true
        }
        if let removed, removesFirst == true { edits.append(removed, element: nil) }
        if let inserted { edits.append(isRemoval: false) { $0.append(inserted) } }
        if let removed, removesFirst == false { edits.append(removed, element: nil) }
        root = TreeEditor.edit(root, edits)
    }

    /// Removes keys that are present, and inserts keys that are not, in any order.
    mutating func edit(removing removed: KeyList, inserting inserted: KeyList) {
        removed.withKeys { removed in
            inserted.withKeys { inserted in
                for index in 0..<removed.count { count(removed[index], sign: -1) }
                for index in 0..<inserted.count { count(inserted[index], sign: 1) }
                func key(_ place: Int) -> UnsafeRawBufferPointer {
                    place < removed.count ? removed[place] : inserted[place - removed.count]
                }
                let places = Array(0..<removed.count + inserted.count)
                let ascend = removed.count == 0 && inserted.ascend
                var edits = TreeEdits()
                edits.reserveCapacity(places.count, bytes: removed.bytes.count + inserted.bytes.count)
                for place in ascend ? places : places.sorted(by: { compareBytes(key($0), key($1)) < 0 }) {
                    edits.append(isRemoval: place < removed.count) { $0.append(key(place)) }
                }
                root = TreeEditor.edit(root, edits)
            }
        }
    }

    func forEachKey(beginningWith prefix: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        root?.forEachKey(beginningWith: prefix, body)
    }

    /// Returns the number of keys below another one.
    func rank(of key: UnsafeRawBufferPointer) -> Int {
        guard var node = root else { return 0 }
        var rank = 0
        while node.level > 0 {
            let child = node.keys.child(containing: key)
            if child > 0 { rank += node.ends[child - 1] }
            node = node.children[child]
        }
        return rank + node.keys.lowerBound(of: key).index
    }

    /// Returns the ranks of the keys beginning with a prefix.
    func ranks(beginningWith prefix: UnsafeRawBufferPointer) -> Range<Int> {
        // No key is greater than those that begin with the greatest bytes.
        guard let last = prefix.lastIndex(where: { $0 != 0xff }) else { return rank(of: prefix)..<count }
        var successor = Array(prefix[...last])
        successor[last] += 1
        let start = rank(of: prefix)
        return start..<max(start, successor.withUnsafeBytes { rank(of: $0) })
    }

    /// Calls `body` with the key of a rank.
    func withKey<Result>(at rank: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        guard let root, rank < root.count else { return nil }
        let (leaf, index) = root.leaf(at: rank)
        defer { withExtendedLifetime(root) {} }
        return leaf._withUnsafeGuaranteedRef { $0.keys.withKey(at: index, body) }
    }

    /// Calls `body` with the keys in a range of ranks.
    func forEachKey(in ranks: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) {
        var rank = ranks.lowerBound
        let end = min(ranks.upperBound, count)
        while rank < end, let root {
            let (leaf, index) = root.leaf(at: rank)
            leaf._withUnsafeGuaranteedRef { leaf in
                let last = min(leaf.count, index + end - rank)
                for place in index..<last { leaf.keys.withKey(at: place, body) }
                rank += last - index
            }
        }
    }
}
