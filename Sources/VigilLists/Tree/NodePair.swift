/// A place in a tree: a node and those that follow it, or an entry of a leaf.
struct NodeCursor {
    private var path: [(branch: ListNode, child: Int)] = []
    /// The current node; `nil` at the end. All nodes before it have been passed.
    private(set) var node: ListNode?
    /// The number of entries before the node.
    private(set) var start = 0
    /// The index of the current entry, if the node is a leaf.
    var index = 0

    init(_ root: ListNode?) {
        node = root
        path.reserveCapacity(8)
    }

    /// The current leaf. The cursor must be in one.
    var leaf: ListNode { node.unsafelyUnwrapped }

    /// The number of entries before the current one.
    var offset: Int { start + index }

    /// Continues with the first child of the current branch.
    mutating func descend() {
        guard let branch = node else { return }
        path.append((branch, 0))
        node = branch.children[0]
    }

    /// Continues with the node that follows the current one, on the highest level on which one does.
    mutating func skip() {
        start += node?.count ?? 0
        index = 0
        node = nil
        while let (branch, child) = path.popLast() {
            guard child + 1 < branch.children.count else { continue }
            path.append((branch, child + 1))
            node = branch.children[child + 1]
            return
        }
    }
}

/// Places in two versions of a tree.
struct NodePair {
    var old: NodeCursor
    var new: NodeCursor

    init(_ old: ListNode?, _ new: ListNode?) {
        self.old = NodeCursor(old)
        self.new = NodeCursor(new)
    }

    /// Passes nodes that both trees contain at these places, and entries that were passed.
    ///
    /// - Returns: whether both cursors are now at entries. Otherwise, one of them is at the end.
    mutating func skipShared() -> Bool {
        while let a = old.node, let b = new.node {
            if a.level == 0, old.index == a.count {
                old.skip()
            } else if b.level == 0, new.index == b.count {
                new.skip()
            } else if a === b, old.index == new.index {
                old.skip()
                new.skip()
            } else if a.level > b.level {
                old.descend()
            } else if b.level > a.level {
                new.descend()
            } else if a.level > 0 {
                old.descend()
                new.descend()
            } else {
                return true
            }
        }
        return false
    }
}
