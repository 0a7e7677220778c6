import VigilStorage

/// A node of a B+ tree. It never changes: an edited tree has new nodes, and shares the others with the
/// previous tree.
///
/// Neither keys nor structure depend on the type of the elements, so their code is not generic.
@usableFromInline
package final class ListNode: Sendable {
    /// The number of levels below.
    let level: Int
    /// The number of entries in the node and below.
    @usableFromInline package let count: Int
    /// The keys of a leaf, or the first key of each child of a branch; empty in trees without keys.
    let keys: KeyBlock
    /// The stamp of each entry's last change; empty in indexes.
    let stamps: [UInt64]
    /// The elements of a leaf; `nil` in branches and indexes.
    // Guard: the elements never change, and their type is Sendable. Only `LeafElements` is not, because its
    // memory belongs to a `ManagedBuffer`, a mutable type.
    @usableFromInline nonisolated(unsafe) let elements: LeafElements?
    @usableFromInline let children: [ListNode]
    /// The number of entries up to the end of each child.
    let ends: [Int]

    init(keys: KeyBlock, count: Int, stamps: [UInt64], elements: LeafElements?) {
        level = 0
        self.count = count
        self.keys = keys
        self.stamps = stamps
        self.elements = elements
        children = []
        ends = []
    }

    init(children: [ListNode]) {
        var keys = KeyBlock(byteCount: children.count * (children[0].keys.length + 4))
        var ends: [Int] = []
        ends.reserveCapacity(children.count)
        for child in children {
            if child.keys.count > 0 { child.keys.withKey(at: 0) { keys.append($0) } }
            ends.append((ends.last ?? 0) + child.count)
        }
        level = children[0].level + 1
        count = ends[ends.count - 1]
        self.keys = keys
        stamps = []
        elements = nil
        self.children = children
        self.ends = ends
    }

    typealias ReplacedChild = (index: Int, node: ListNode)

    /// Creates a branch from another one with some children replaced, given in ascending order.
    ///
    /// Does not read the other children, because they are often not in the processor's cache.
    init(_ branch: ListNode, replacing replacements: [ReplacedChild]) {
        let children = branch.children
        var difference = 0
        var keepsKeys = true
        var ends = branch.ends
        var next = 0
        for (index, node) in replacements {
            if difference != 0 { for place in next..<index { ends[place] += difference } }
            difference += node.count - children[index].count
            if difference != 0 { ends[index] += difference }
            next = index + 1
            keepsKeys = keepsKeys && node.hasFirstKey(of: children[index])
        }
        if difference != 0 { for place in next..<ends.count { ends[place] += difference } }
        level = branch.level
        count = branch.count + difference
        keys = keepsKeys ? branch.keys : branch.keys.replacing(replacements)
        stamps = []
        elements = nil
        self.children = children.copy(replacing: replacements)
        self.ends = ends
    }

    /// Creates a leaf from another one with the element of one entry replaced.
    init(_ leaf: ListNode, replacing index: Int, by elements: any FetchedElements, _ stamp: UInt64) {
        var stamps = leaf.stamps
        stamps[index] = stamp
        level = 0
        count = leaf.count
        keys = leaf.keys
        self.stamps = stamps
        self.elements = elements.block(replacing: index..<index + 1, of: leaf)
        children = []
        ends = []
    }

    /// Creates a branch from another one with a child replaced by a node with the same first key.
    init(_ branch: ListNode, replacing child: Int, by node: ListNode) {
        let difference = node.count - branch.children[child].count
        level = branch.level
        count = branch.count + difference
        keys = branch.keys
        stamps = []
        elements = nil
        children = branch.children.copy(replacing: child, by: node)
        var ends = branch.ends
        if difference != 0 { for place in child..<ends.count { ends[place] += difference } }
        self.ends = ends
    }

    /// Returns a tree with the leaf for a key replaced. Both leaves must have the same keys.
    func replacingLeaf(containing key: UnsafeRawBufferPointer, by leaf: ListNode) -> ListNode {
        if level == 0 { return leaf }
        let child = keys.child(containing: key)
        return ListNode(
            self, replacing: child, by: children[child].replacingLeaf(containing: key, by: leaf))
    }

    func hasFirstKey(of other: ListNode) -> Bool {
        keys.withKey(at: 0) { key in other.keys.withKey(at: 0) { compareBytes(key, $0) == 0 } }
    }

    /// Returns the leaf with the entry at an offset, and the entry's index in the leaf.
    ///
    /// The leaf is not retained. It is valid as long as the tree.
    @usableFromInline func leaf(at offset: Int) -> (leaf: Unmanaged<ListNode>, index: Int) {
        defer { withExtendedLifetime(self) {} }
        var node = Unmanaged.passUnretained(self)
        var offset = offset
        // Retaining each node on the way would take most of the time.
        while node._withUnsafeGuaranteedRef(\.level) > 0 {
            node = node._withUnsafeGuaranteedRef { branch in
                let child = branch.child(at: offset)
                if child > 0 { offset -= branch.ends[child - 1] }
                return Unmanaged.passUnretained(branch.children[child])
            }
        }
        return (node, offset)
    }

    /// Returns the lowest branch above the entry at an offset, and the index of the entry's child; the node
    /// itself if it is a leaf.
    @usableFromInline func lowestBranch(at offset: Int) -> (branch: Unmanaged<ListNode>, child: Int) {
        defer { withExtendedLifetime(self) {} }
        var node = Unmanaged.passUnretained(self)
        var offset = offset
        while true {
            let (child, isLowest) = node._withUnsafeGuaranteedRef { branch in
                if branch.level == 0 { return (0, true) }
                let child = branch.child(at: offset)
                if branch.level == 1 { return (child, true) }
                if child > 0 { offset -= branch.ends[child - 1] }
                node = Unmanaged.passUnretained(branch.children[child])
                return (child, false)
            }
            if isLowest { return (node, child) }
        }
    }

    /// Returns the index of the first child with its end behind an offset.
    @inline(__always)  // bench: list-subscript
    private func child(at offset: Int) -> Int {
        ends.withUnsafeBufferPointer { ends in
            var low = 0
            var high = ends.count - 1
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] <= offset { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// Returns the leaf and the index of a key.
    func entry(of key: UnsafeRawBufferPointer) -> (leaf: ListNode, index: Int)? {
        defer { withExtendedLifetime(self) {} }
        var node = Unmanaged.passUnretained(self)
        while node._withUnsafeGuaranteedRef(\.level) > 0 {
            node = node._withUnsafeGuaranteedRef { branch in
                Unmanaged.passUnretained(branch.children[branch.keys.child(containing: key)])
            }
        }
        let leaf = node.takeUnretainedValue()
        let (index, isEqual) = leaf.keys.lowerBound(of: key)
        return isEqual ? (leaf, index) : nil
    }

    func forEachLeaf(_ body: (ListNode) -> Void) {
        if level == 0 { return body(self) }
        for child in children { child.forEachLeaf(body) }
    }

    /// Calls `body` with each key beginning with a prefix, in ascending order.
    func forEachKey(beginningWith prefix: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        defer { withExtendedLifetime(self) {} }
        var cursor = NodeCursor(self, at: prefix)
        while cursor.level != nil {
            let matchesAll = cursor.withLeaf { leaf, start in
                leaf.keys.forEach(from: start) { key in
                    guard key.begins(with: prefix) else { return false }
                    body(key)
                    return true
                }
            }
            guard matchesAll else { return }
            cursor.skip()
            cursor.descendToLeaf()
        }
    }

    /// Returns a lower bound of the number of successive entries shared by two leaves.
    func countOfEntries(from start: Int, sharedWith other: ListNode, from otherStart: Int) -> Int {
        let limit = keys.countOfKeys(from: start, sharedWith: other.keys, from: otherStart)
        return stamps.withUnsafeBufferPointer { stamps in
            other.stamps.withUnsafeBufferPointer { others in
                (0..<limit).first { stamps[start + $0] != others[otherStart + $0] } ?? limit
            }
        }
    }
}

// A mutation of a copy would copy each reference through the metadata of its type.
extension [ListNode] {
    /// Returns a copy with the nodes at some ascending indices replaced.
    fileprivate func copy(replacing replacements: [ListNode.ReplacedChild]) -> [ListNode] {
        withUnsafeBufferPointer { nodes in
            [ListNode](unsafeUninitializedCapacity: nodes.count) { copy, count in
                var next = 0
                for (index, node) in replacements {
                    for place in next..<index { copy.initializeElement(at: place, to: nodes[place]) }
                    copy.initializeElement(at: index, to: node)
                    next = index + 1
                }
                for place in next..<nodes.count { copy.initializeElement(at: place, to: nodes[place]) }
                count = nodes.count
            }
        }
    }

    fileprivate func copy(replacing index: Int, by node: ListNode) -> [ListNode] {
        withUnsafeBufferPointer { nodes in
            [ListNode](unsafeUninitializedCapacity: nodes.count) { copy, count in
                for place in nodes.indices {
                    copy.initializeElement(at: place, to: place == index ? node : nodes[place])
                }
                count = nodes.count
            }
        }
    }
}
