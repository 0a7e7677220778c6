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
    mutating func replace(
        _ old: KeyList, with new: KeyList, elementIndices: [Int]?, elements: some EntryElements, stamp: UInt64
    ) -> Bool {
        var edits = TreeEdits()
        /// The indices of edits that insert or remove a key.
        var keyEdits: [Int] = []
        forEachPair(old, new) { old, new, key in
            if old != nil, let new {
                let element = elementIndices?[new] ?? new
                if isUnchanged(key, element, elements) { return }
                edits.append(key, element: element)
            } else {
                keyEdits.append(edits.count)
                edits.append(key, element: new.map { elementIndices?[$0] ?? $0 })
            }
        }
        if edits.isEmpty { return false }
        for source in indexedSources { editIndex(of: source, edits, keyEdits) }
        root = TreeEditor(edits: edits, stamp: stamp, makeElements: elements.block).edited(root)
        return true
    }

    private func isUnchanged(
        _ key: UnsafeRawBufferPointer, _ element: Int, _ elements: some EntryElements
    ) -> Bool {
        guard elements.canCompare, let entry = root?.entry(of: key) else { return false }
        return elements.isEqual(entry.leaf, entry.index, element)
    }

    /// Calls `body` for each key of two ascending lists, with its indices in them.
    private func forEachPair(
        _ old: KeyList, _ new: KeyList, _ body: (Int?, Int?, UnsafeRawBufferPointer) -> Void
    ) {
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            let order =
                i == old.count
                ? 1
                : j == new.count
                    ? -1
                    : old.withKey(at: i) { key in new.withKey(at: j) { compareKeys(key, $0) } }
            if order < 0 {
                old.withKey(at: i) { body(i, nil, $0) }
            } else {
                new.withKey(at: j) { body(order == 0 ? i : nil, j, $0) }
            }
            if order <= 0 { i += 1 }
            if order >= 0 { j += 1 }
        }
    }

    /// Inserts and removes keys of an index.
    private mutating func editIndex(of source: Int, _ edits: TreeEdits, _ keyEdits: [Int]) {
        let isOptional = shape.sources[source].isOptional
        let indexed =
            isOptional
            ? keyEdits.filter { edit in
                edits.keys.withKey(at: edit) { shape.rowID(of: source, in: $0) } != nil
            } : keyEdits
        // Keys with equal row ids are in the order of the list in both.
        let order = stableOrder(
            of: indexed.map { edit in edits.keys.withKey(at: edit) { shape.orderedRowID(of: source, in: $0) }
            })
        var indexEdits = TreeEdits()
        for place in order {
            let edit = indexed[place]
            let isRemoval = edits.elements[edit] == TreeEdits.removal
            edits.keys.withKey(at: edit) { key in
                indexEdits.append(isRemoval: isRemoval) {
                    shape.appendIndexKey(key, source: source, to: &$0)
                }
            }
        }
        indexes[source] = TreeEditor(edits: indexEdits, stamp: nil, makeElements: nil).edited(indexes[source])
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
