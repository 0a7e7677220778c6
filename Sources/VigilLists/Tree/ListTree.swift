import VigilStorage

/// The rows of a list in their order, with indexes by the row ids of tables.
///
/// A value: copies share their nodes, and an edited copy shares all unchanged nodes.
package struct ListTree: Sendable {
    package let shape: ListShape
    package private(set) var root: ListNode?
    /// An index of the entries by the row id in one source.
    struct Index: Sendable {
        let source: Int
        /// `nil` if no entry has a row of the source.
        var root: ListNode?
    }

    private(set) var indexes: [Index] = []

    package init(shape: ListShape) { self.shape = shape }

    package var count: Int { root?.count ?? 0 }

    private func index(of source: Int) -> Index? { indexes.first { $0.source == source } }

    /// Removes the index of a source. Its rows are not looked up any more.
    package mutating func dropIndex(of source: Int) { indexes.removeAll { $0.source == source } }

    /// Creates the index of a source, unless it exists or is not needed. An unchanged list needs none.
    package mutating func prepareIndex(of source: Int) {
        guard !shape.isOrdered(by: source), index(of: source) == nil else { return }
        var index = Index(source: source)
        let edits = TreeEdits(inserting: keys, elementIndices: nil)
        if !edits.isEmpty { edit(&index, edits, keyEdits: Array(0..<edits.count)) }
        indexes.append(index)
    }

    /// Appends the order keys of all entries with a row id in a source. Prepare its index first.
    package func appendKeys(rowID: Int64, source: Int, to keys: inout KeyList) {
        let isOrdered = shape.isOrdered(by: source)
        guard let tree = isOrdered ? root : index(of: source)?.root else { return }
        shape.withIndexPrefix(of: rowID, source: source) { prefix in
            tree.forEachKey(beginningWith: prefix) { key in
                if isOrdered {
                    keys.append(key)
                } else {
                    shape.appendOrderKey(key, source: source, to: &keys)
                }
            }
        }
    }

    /// Appends the new keys already present in a list of one table, and removes their row ids.
    ///
    /// A row is in such a list at most once, so the new key finds its entry without an index.
    ///
    /// - Parameter new: the ascending keys of rows with some of the row ids.
    func appendKept(_ new: KeyList, rowIDs: inout Set<Int64>, to keys: inout KeyList) {
        var finder = EntryFinder(root: root)
        new.withKeys { new in
            for index in 0..<new.count where finder.entry(of: new[index]) != nil {
                guard let rowID = shape.rowID(of: 0, in: new[index]), rowIDs.remove(rowID) != nil else {
                    continue
                }
                keys.append(new[index])
            }
        }
    }

    package var keys: KeyList {
        var keys = KeyList()
        root?.forEachLeaf { leaf in
            for index in 0..<leaf.count { leaf.keys.withKey(at: index) { keys.append($0) } }
        }
        return keys
    }

    /// Replaces entries by new ones. An unchanged entry keeps its stamp.
    ///
    /// - Parameters:
    ///   - old: the ascending keys of the entries.
    ///   - new: the ascending keys of the new entries. If a key is in the tree, it must be among `old`.
    ///   - elementIndices: the index of the element of each new key; `nil` if they have the same indices.
    /// - Returns: whether anything changed.
    mutating func replace(
        _ old: KeyList, with new: KeyList, elementIndices: [Int]?, elements: any FetchedElements,
        stamp: UInt64
    ) -> Bool {
        if replaceOne(old, with: new, elements: elements, stamp: stamp) { return true }
        var edits: TreeEdits
        /// The indices of insertions and removals of keys.
        var keyEdits: [Int] = []
        if root == nil {
            edits = TreeEdits(inserting: new, elementIndices: elementIndices)
            if !indexes.isEmpty { keyEdits = Array(0..<new.count) }
        } else {
            edits = TreeEdits()
            var finder = EntryFinder(root: root)
            forEachPair(of: old, and: new) { isOld, new, key in
                let element = new.map { elementIndices?[$0] ?? $0 }
                if isOld, let element {
                    if elements.canCompare, let entry = finder.entry(of: key),
                        elements.isEqual(element, to: entry.leaf, at: entry.index)
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
        if !keyEdits.isEmpty {
            for place in indexes.indices { edit(&indexes[place], edits, keyEdits: keyEdits) }
        }
        root = TreeEditor.edit(root, edits, stamp: stamp, elements: elements)
        return true
    }

    /// Replaces at most one entry by at most one with another key, if no node must be split or joined.
    ///
    /// - Parameter elements: the element of the new entry; empty without a new entry.
    /// - Returns: whether the entry was replaced.
    private mutating func replaceOne(
        _ old: KeyList, with new: KeyList, elements: any FetchedElements, stamp: UInt64
    ) -> Bool {
        guard old.count <= 1, new.count <= 1, elements.count == new.count, old.count + new.count > 0 else {
            return false
        }
        return old.withFirstKey { removed in
            new.withFirstKey { inserted in
                if let removed, let inserted, compareBytes(removed, inserted) == 0 { return false }
                let edit = SingleEdit(removed: removed, inserted: inserted, stamp: stamp, elements: elements)
                var indexes = indexes
                guard let root = root.flatMap(edit.edited),
                    self.edit(&indexes, removing: removed, inserting: inserted)
                else {
                    return false
                }
                (self.root, self.indexes) = (root, indexes)
                return true
            }
        }
    }

    /// Replaces the key of an entry in indexes. Returns `false` if the general editor is needed.
    private func edit(
        _ indexes: inout [Index], removing removed: UnsafeRawBufferPointer?,
        inserting inserted: UnsafeRawBufferPointer?
    ) -> Bool {
        for place in indexes.indices {
            let source = indexes[place].source
            let (old, new) = (indexKey(removed, source), indexKey(inserted, source))
            if old.count + new.count == 0 { continue }
            indexes[place].root = old.withFirstKey { removed in
                new.withFirstKey { inserted in
                    indexes[place].root.flatMap {
                        SingleEdit(removed: removed, inserted: inserted).edited($0)
                    }
                }
            }
            if indexes[place].root == nil { return false }
        }
        return true
    }

    /// Returns the index key of an entry; empty if the entry has no row of the source.
    private func indexKey(_ key: UnsafeRawBufferPointer?, _ source: Int) -> KeyList {
        var indexKey = KeyList()
        guard let key, !shape.sources[source].isOptional || shape.rowID(of: source, in: key) != nil else {
            return indexKey
        }
        indexKey.reserveCapacity(1, bytes: key.count)
        shape.appendIndexKey(key, source: source, to: &indexKey)
        return indexKey
    }

    /// Replaces the element at a key by the only element of a fetch, without the general editor.
    ///
    /// - Returns: whether the element changed; `nil` if the list has no such key.
    mutating func replaceElement(
        of key: UnsafeRawBufferPointer, by elements: any FetchedElements, stamp: UInt64
    ) -> Bool? {
        guard let root, let entry = root.entry(of: key) else { return nil }
        if elements.canCompare, elements.isEqual(0, to: entry.leaf, at: entry.index) { return false }
        let leaf = ListNode(entry.leaf, replacing: entry.index, by: elements, stamp)
        self.root = root.replacingLeaf(containing: key, by: leaf)
        return true
    }

    /// Calls `body` for each key of two ascending lists, with its presence in the first and its index in the
    /// second list.
    private func forEachPair(
        of old: KeyList, and new: KeyList, _ body: (Bool, Int?, UnsafeRawBufferPointer) -> Void
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
    private func edit(_ index: inout Index, _ edits: TreeEdits, keyEdits: [Int]) {
        let source = index.source
        edits.keys.withKeys { keys in
            var indexed = keyEdits
            if shape.sources[source].isOptional {
                indexed.removeAll { shape.rowID(of: source, in: keys[$0]) == nil }
            }
            var indexEdits = TreeEdits()
            indexEdits.reserveCapacity(indexed.count, bytes: keys.bytes.count)
            // In both orders, keys with equal row ids are in the order of the list.
            for place in stableOrder(of: indexed.map { shape.orderedRowID(of: source, in: keys[$0]) }) {
                let edit = indexed[place]
                indexEdits.append(isRemoval: edits.elements[edit] == TreeEdits.removal) {
                    shape.appendIndexKey(keys[edit], source: source, to: &$0)
                }
            }
            index.root = TreeEditor.edit(index.root, indexEdits)
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

/// Returns the indices of numbers in ascending order of the numbers. Equal numbers keep their order.
///
/// Sorts by one byte after the other, from the last to the first, and skips bytes equal in all numbers: row
/// ids usually differ in few bytes.
func stableOrder(of numbers: [UInt64]) -> [Int] {
    guard numbers.count > 64 else {
        return numbers.indices.sorted { numbers[$0] == numbers[$1] ? $0 < $1 : numbers[$0] < numbers[$1] }
    }
    let different = numbers.reduce(0) { $0 | ($1 ^ numbers[0]) }
    var order = Array(numbers.indices)
    var sorted = order
    for shift in stride(from: 0, to: 64, by: 8) where different >> shift & 0xff != 0 {
        var starts = Array(repeating: 0, count: 257)
        for number in numbers { starts[Int(number >> shift & 0xff) + 1] += 1 }
        for byte in 1...256 { starts[byte] += starts[byte - 1] }
        for index in order {
            let byte = Int(numbers[index] >> shift & 0xff)
            sorted[starts[byte]] = index
            starts[byte] += 1
        }
        swap(&order, &sorted)
    }
    return order
}
