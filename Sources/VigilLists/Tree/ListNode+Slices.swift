import VigilStorage

extension ListNode {
    /// Returns a tree of the entries in a range; `nil` if the range is empty. It shares all nodes except the
    /// ones at its ends. It must not be edited, because it can have small nodes.
    ///
    /// - Parameter elements: an empty list of elements.
    func slice(_ range: Range<Int>, _ elements: any FetchedElements) -> ListNode? {
        if range.isEmpty { return nil }
        var node = part(range, elements)
        while node.children.count == 1 { node = node.children[0] }
        return node
    }

    private func part(_ range: Range<Int>, _ elements: any FetchedElements) -> ListNode {
        if range == 0..<count { return self }
        guard level > 0 else { return leafPart(range, elements) }
        var parts: [ListNode] = []
        var start = 0
        for (child, end) in zip(children, ends) {
            if start < range.upperBound, end > range.lowerBound {
                let (first, last) = (max(range.lowerBound, start), min(range.upperBound, end))
                parts.append(child.part(first - start..<last - start, elements))
            }
            start = end
        }
        return ListNode(children: parts)
    }

    private func leafPart(_ range: Range<Int>, _ elements: any FetchedElements) -> ListNode {
        var block = KeyBlock(byteCount: keys.bytes.count)
        block.append(keys, range)
        return ListNode(
            keys: block, count: range.count, stamps: Array(stamps[range]),
            elements: elements.block(
                joining: [TreeEditor.Piece(leaf: self, range: range)], count: range.count, TreeEdits()))
    }

    /// Returns whether two trees have the same entries, of which none was replaced.
    static func haveSameEntries(_ a: ListNode?, _ b: ListNode?) -> Bool {
        guard let a, let b, a.count == b.count else { return a == nil && b == nil }
        defer { withExtendedLifetime((a, b)) {} }
        var pair = NodePair(a, b)
        while pair.skipShared() {
            let count = pair.old.withLeaf { leaf, start in
                pair.new.withLeaf { other, otherStart in
                    let shared = leaf.countOfEntries(from: start, sharedWith: other, from: otherStart)
                    if shared > 0 { return shared }
                    return leaf.isSameEntry(at: start, as: other, at: otherStart) ? 1 : 0
                }
            }
            if count == 0 { return false }
            pair.old.index += count
            pair.new.index += count
        }
        return true
    }

    private func isSameEntry(at index: Int, as other: ListNode, at otherIndex: Int) -> Bool {
        stamps[index] == other.stamps[otherIndex]
            && keys.withKey(at: index) { key in
                other.keys.withKey(at: otherIndex) { compareBytes(key, $0) == 0 }
            }
    }
}
