/// A place in a tree: a node and its successors, or an entry of a leaf.
///
/// A cursor does not retain the nodes. Extend the lifetime of the tree to its last use.
struct NodeCursor {
    private struct Step {
        let branch: Unmanaged<ListNode>
        var child: Int
        /// The number of entries before the branch.
        let start: Int
    }

    private var path: [Step] = []
    private var node: Unmanaged<ListNode>?
    /// The level of the current node; `nil` at the end. All nodes before it have been passed.
    private(set) var level: Int?
    /// The number of entries before the node.
    private(set) var start = 0
    /// The index of the current entry, if the node is a leaf.
    var index = 0

    init(_ root: ListNode?) {
        node = root.map(Unmanaged.passUnretained)
        level = root?.level
        path.reserveCapacity(8)
    }

    /// Creates a cursor at the first entry with a key not below another one, or at the end of the leaf before
    /// this entry.
    init(_ root: ListNode, at key: UnsafeRawBufferPointer) {
        self.init(root)
        while let branch = node, let level, level > 0 {
            branch._withUnsafeGuaranteedRef { branch in
                let child = branch.keys.child(containing: key)
                path.append(Step(branch: .passUnretained(branch), child: child, start: start))
                if child > 0 { start += branch.ends[child - 1] }
                node = .passUnretained(branch.children[child])
            }
            self.level = level - 1
        }
        index = withLeaf { leaf, _ in leaf.keys.lowerBound(of: key).index }
    }

    func withLeaf<Result>(_ body: (ListNode, Int) -> Result) -> Result {
        node.unsafelyUnwrapped._withUnsafeGuaranteedRef { body($0, index) }
    }

    /// Continues with the first leaf of the current branch.
    mutating func descendToLeaf() {
        while let level, level > 0 { descend() }
    }

    /// The current leaf. The cursor must be in one.
    var leaf: ListNode { node.unsafelyUnwrapped.takeUnretainedValue() }

    var offset: Int { start + index }

    /// Whether all entries of the current leaf have been passed.
    var isPastLeaf: Bool {
        guard index > 0, let node else { return false }
        return node._withUnsafeGuaranteedRef { $0.count == index }
    }

    /// Continues with the first child of the current branch.
    mutating func descend() {
        guard let branch = node, let level else { return }
        path.append(Step(branch: branch, child: 0, start: start))
        node = branch._withUnsafeGuaranteedRef { .passUnretained($0.children[0]) }
        self.level = level - 1
    }

    /// Continues with the next node, on the highest possible level.
    ///
    /// Does not read the current node, because it is often not in the processor's cache.
    mutating func skip() {
        index = 0
        while let step = path.last {
            let next = step.child + 1
            let found = step.branch._withUnsafeGuaranteedRef { branch in
                guard next < branch.children.count else { return false }
                node = .passUnretained(branch.children[next])
                level = branch.level - 1
                start = step.start + branch.ends[step.child]
                return true
            }
            if found {
                path[path.count - 1].child = next
                return
            }
            path.removeLast()
        }
        node = nil
        level = nil
    }

    /// Passes identical siblings after the current nodes of both cursors. The cursors stop at the last of
    /// them, or remain at the current nodes.
    static func passSharedSiblings(_ a: inout NodeCursor, _ b: inout NodeCursor) {
        guard let one = a.path.last, let two = b.path.last else { return }
        let count = one.branch._withUnsafeGuaranteedRef { oneBranch in
            two.branch._withUnsafeGuaranteedRef { twoBranch in
                oneBranch.children.withUnsafeBufferPointer { ones in
                    twoBranch.children.withUnsafeBufferPointer { twos in
                        let limit = min(ones.count - one.child, twos.count - two.child)
                        return (1..<limit).prefix { ones[one.child + $0] === twos[two.child + $0] }.count
                    }
                }
            }
        }
        a.path[a.path.count - 1].child += count
        b.path[b.path.count - 1].child += count
    }

    func isSameNode(as other: NodeCursor) -> Bool { node?.toOpaque() == other.node?.toOpaque() }
}

/// Places in two versions of a tree.
struct NodePair {
    var old: NodeCursor
    var new: NodeCursor

    init(_ old: ListNode?, _ new: ListNode?) {
        self.old = NodeCursor(old)
        self.new = NodeCursor(new)
    }

    /// Passes nodes shared by both trees at these places, and completed leaves.
    ///
    /// - Returns: whether both cursors are now at entries. Otherwise, one of them is at the end.
    mutating func skipShared() -> Bool {
        while let oldLevel = old.level, let newLevel = new.level {
            if old.isPastLeaf {
                old.skip()
            } else if new.isPastLeaf {
                new.skip()
            } else if old.index == new.index, old.isSameNode(as: new) {
                NodeCursor.passSharedSiblings(&old, &new)
                old.skip()
                new.skip()
            } else if oldLevel > newLevel {
                old.descend()
            } else if newLevel > oldLevel {
                new.descend()
            } else if oldLevel > 0 {
                old.descend()
                new.descend()
            } else {
                return true
            }
        }
        return false
    }
}
