import VigilStorage

/// The rows of a list in their order, and indexes that find rows by the row id of a table.
///
/// A value: copies share their nodes, and an edited copy shares all nodes that it does not replace.
package struct ListTree: Sendable {
    package let shape: ListShape
    package private(set) var root: ListNode?
    /// The index of each source; `nil` for an empty index, and for sources that have none.
    private(set) var indexes: [ListNode?]
    /// The sources with an index.
    private(set) var indexedSources: [Int]

    /// - Parameter followed: the sources whose rows are looked up.
    package init(shape: ListShape, followed: [Int]) {
        self.shape = shape
        indexes = Array(repeating: nil, count: shape.sources.count)
        indexedSources = followed.filter { !shape.isOrdered(by: $0) }
    }

    package init(_ plan: ListPlan) { self.init(shape: plan.shape, followed: plan.followed) }

    /// Returns whether the tree has the shape of a plan, and indexes for its followed sources.
    func hasIndexes(for plan: ListPlan) -> Bool {
        shape == plan.shape
            && plan.followed.allSatisfy { indexedSources.contains($0) || shape.isOrdered(by: $0) }
    }

    package var count: Int { root?.count ?? 0 }

    /// Removes the index of a source, whose rows are not looked up again.
    package mutating func dropIndex(of source: Int) {
        indexes[source] = nil
        indexedSources.removeAll { $0 == source }
    }

    /// Appends the order keys of all entries with a row id in a source.
    package func appendKeys(rowID: Int64, source: Int, to keys: inout KeyList) {
        let isOrdered = shape.isOrdered(by: source)
        guard let tree = isOrdered ? root : indexes[source] else { return }
        shape.indexPrefix(of: rowID, source: source).withUnsafeBytes { prefix in
            tree.forEachKey(beginningWith: prefix) { key in
                if isOrdered {
                    keys.append(key)
                } else {
                    shape.appendOrderKey(key, source: source, to: &keys)
                }
            }
        }
    }

    /// The order keys of all entries.
    package var keys: KeyList {
        var keys = KeyList()
        root?.forEachLeaf { leaf in
            for index in 0..<leaf.count { leaf.keys.withKey(at: index) { keys.append($0) } }
        }
        return keys
    }

    /// Replaces entries by new ones. An entry that does not change keeps its stamp.
    ///
    /// - Parameters:
    ///   - old: the ascending keys of the entries.
    ///   - new: the ascending keys of the new entries. If a key is in the tree, it must be among `old`.
    ///   - elementIndices: the index of the element of each new key; `nil` if they have the same indices.
    /// - Returns: whether anything changed.
    mutating func replace<Elements: EntryElements>(
        _ old: KeyList, with new: KeyList, elementIndices: [Int]?, elements: Elements, stamp: UInt64
    ) -> Bool {
        var edits: TreeEdits
        /// The indices of edits that insert or remove a key.
        var keyEdits: [Int] = []
        if root == nil {
            edits = TreeEdits(inserting: new, elementIndices: elementIndices)
            keyEdits = Array(0..<new.count)
        } else {
            edits = TreeEdits()
            var finder = EntryFinder(root: root)
            forEachPair(old, new) { isOld, new, key in
                let element = new.map { elementIndices?[$0] ?? $0 }
                if isOld, let element {
                    if elements.canCompare, let entry = finder.entry(of: key),
                        elements.isEqual(entry.leaf, entry.index, element)
                    {
                        return
                    }
                } else {
                    keyEdits.append(edits.count)
                }
                edits.append(key, element: element)
            }
        }
        if edits.isEmpty { return false }
        for source in indexedSources where !keyEdits.isEmpty { editIndex(of: source, edits, keyEdits) }
        root = TreeEditor.edit(root, edits, stamp: stamp, makeElements: elements.block)
        return true
    }

    /// Calls `body` for each key of two ascending lists: whether it is in the first one, and its index in the second
    /// one.
    private func forEachPair(
        _ old: KeyList, _ new: KeyList, _ body: (Bool, Int?, UnsafeRawBufferPointer) -> Void
    ) {
        old.withKeys { old in
            new.withKeys { new in
                var (i, j) = (0, 0)
                while i < old.count || j < new.count {
                    var order = i == old.count ? 1 : -1
                    if i < old.count, j < new.count { order = compareBytes(old[i], new[j]) }
                    body(order <= 0, order < 0 ? nil : j, order < 0 ? old[i] : new[j])
                    if order <= 0 { i += 1 }
                    if order >= 0 { j += 1 }
                }
            }
        }
    }

    /// Inserts and removes keys of an index.
    private mutating func editIndex(of source: Int, _ edits: TreeEdits, _ keyEdits: [Int]) {
        edits.keys.withKeys { keys in
            var indexed = keyEdits
            if shape.sources[source].isOptional {
                indexed.removeAll { shape.rowID(of: source, in: keys[$0]) == nil }
            }
            var indexEdits = TreeEdits()
            indexEdits.reserveCapacity(indexed.count, bytes: keys.bytes.count)
            // Keys with equal row ids are in the order of the list in both.
            for place in stableOrder(of: indexed.map { shape.orderedRowID(of: source, in: keys[$0]) }) {
                let edit = indexed[place]
                indexEdits.append(isRemoval: edits.elements[edit] == TreeEdits.removal) {
                    shape.appendIndexKey(keys[edit], source: source, to: &$0)
                }
            }
            indexes[source] = TreeEditor.edit(indexes[source], indexEdits)
        }
    }
}

/// Finds entries, fastest in ascending order.
private struct EntryFinder {
    let root: ListNode?
    private var last: ListNode?

    init(root: ListNode?) { self.root = root }

    mutating func entry(of key: UnsafeRawBufferPointer) -> (leaf: ListNode, index: Int)? {
        if let last {
            let (index, isEqual) = last.keys.lowerBound(of: key)
            if isEqual { return (last, index) }
        }
        let entry = root?.entry(of: key)
        last = entry?.leaf
        return entry
    }
}

/// The elements of a change of a tree, whose type the tree does not know.
protocol EntryElements {
    /// Whether elements can be compared.
    var canCompare: Bool { get }
    /// Returns whether the element of an entry is equal to a new one.
    func isEqual(_ leaf: ListNode, _ index: Int, _ element: Int) -> Bool
    /// Returns the elements of a new leaf.
    func block(_ pieces: [TreeEditor.Piece], _ count: Int, _ edits: TreeEdits) -> any AnyObject & Sendable
}
