import VigilStorage

/// The removal of an entry, the insertion of an entry, or both. Copies one or two leaves and the branches
/// above them.
///
/// Most changes of a list affect one row. They need neither the lists of edits and pieces of ``TreeEditor``,
/// nor its checks of the neighbours of each node.
struct SingleEdit {
    var removed: UnsafeRawBufferPointer?
    var inserted: UnsafeRawBufferPointer?
    /// The stamp of a new entry; `nil` for a tree without stamps.
    var stamp: UInt64?
    /// The fetched elements: only one, for a new entry; `nil` for a tree without elements.
    var elements: (any FetchedElements)?

    private var removal: SingleEdit { SingleEdit(removed: removed, stamp: stamp, elements: elements) }
    private var insertion: SingleEdit { SingleEdit(inserted: inserted, stamp: stamp, elements: elements) }

    /// Returns the edited tree; `nil` if a node must be split or joined by ``TreeEditor``.
    func edited(_ node: ListNode) -> ListNode? {
        if node.level == 0 { return editedLeaf(node) }
        let from = removed.map { node.keys.child(containing: $0) }
        let to = inserted.map { node.keys.child(containing: $0) }
        if let from, let to, from != to {
            guard let source = removal.edited(node.children[from]),
                let target = insertion.edited(node.children[to])
            else { return nil }
            return ListNode(
                node, replacing: from < to ? [(from, source), (to, target)] : [(to, target), (from, source)])
        }
        guard let child = from ?? to, let new = edited(node.children[child]) else { return nil }
        return new.hasFirstKey(of: node.children[child])
            ? ListNode(node, replacing: child, by: new) : ListNode(node, replacing: [(child, new)])
    }

    private func editedLeaf(_ leaf: ListNode) -> ListNode? {
        guard let removed else { return inserted.flatMap { inserting($0, in: leaf) } }
        guard let rest = removing(removed, from: leaf) else { return nil }
        guard let inserted else { return rest }
        return inserting(inserted, in: rest)
    }

    private func inserting(_ key: UnsafeRawBufferPointer, in leaf: ListNode) -> ListNode? {
        let (index, isEqual) = leaf.keys.lowerBound(of: key)
        guard !isEqual, leaf.count < NodeSizes.leaf else { return nil }
        var stamps = leaf.stamps
        if let stamp { stamps.insert(stamp, at: index) }
        return ListNode(
            keys: leaf.keys.inserting(key, at: index), count: leaf.count + 1, stamps: stamps,
            elements: elements?.block(replacing: index..<index, of: leaf))
    }

    private func removing(_ key: UnsafeRawBufferPointer, from leaf: ListNode) -> ListNode? {
        let (index, isEqual) = leaf.keys.lowerBound(of: key)
        guard isEqual, leaf.count > NodeSizes.leastLeaf else { return nil }
        var stamps = leaf.stamps
        if stamp != nil { stamps.remove(at: index) }
        return ListNode(
            keys: leaf.keys.removing(at: index), count: leaf.count - 1, stamps: stamps,
            elements: elements?.block(removing: index, of: leaf))
    }
}
