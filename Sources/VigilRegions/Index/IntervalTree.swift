/// Groups by the intervals of their conditions on a column.
///
/// Finding the groups for a value takes O(log n) and, for each group found, O(log n) at worst. Inserting and
/// removing a group, arming it and disarming it take O(log n).
///
/// The tree is a treap: a search tree by the lower end, balanced by random priorities (Seidel, Aragon:
/// Randomized Search Trees, 1996). Each node knows the greatest upper end below it (interval tree: Cormen and
/// others, Introduction to Algorithms, 14.3). Only groups with armed observers count for that end, so the
/// search skips disarmed groups.
struct IntervalTree: Sendable {
    private struct Node: Sendable {
        var interval: Interval
        var group: Int
        var isArmed: Bool
        var priority: UInt64
        var left = -1
        var right = -1
        var parent = -1
        /// The node with the latest interval end in the subtree, among nodes with armed observers; -1 if all
        /// are disarmed.
        var last = -1
    }

    private var nodes = SlotArray(
        vacant: Node(interval: Interval(), group: -1, isArmed: false, priority: 0))
    private var root = -1
    private(set) var count = 0
    private var lastPriority: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    /// Whether the tree has a group with armed observers.
    var hasArmedGroups: Bool { root >= 0 && nodes[root].last >= 0 }

    /// Adds a group, and returns its node in the tree.
    mutating func insert(_ interval: Interval, group: Int, isArmed: Bool) -> Int {
        let node = nodes.insert(
            Node(interval: interval, group: group, isArmed: isArmed, priority: nextPriority()))
        count += 1
        var parent = -1
        var place = root
        var isLeft = false
        while place >= 0 {
            parent = place
            isLeft = interval.begins(before: nodes[place].interval)
            place = isLeft ? nodes[place].left : nodes[place].right
        }
        nodes[node].parent = parent
        if parent < 0 {
            root = node
        } else if isLeft {
            nodes[parent].left = node
        } else {
            nodes[parent].right = node
        }
        while nodes[node].parent >= 0, nodes[nodes[node].parent].priority < nodes[node].priority {
            rotateUp(node)
        }
        update(from: node)
        return node
    }

    mutating func remove(_ node: Int) {
        while nodes[node].left >= 0, nodes[node].right >= 0 {
            let (left, right) = (nodes[node].left, nodes[node].right)
            rotateUp(nodes[left].priority > nodes[right].priority ? left : right)
        }
        let parent = nodes[node].parent
        let child = nodes[node].left >= 0 ? nodes[node].left : nodes[node].right
        if child >= 0 { nodes[child].parent = parent }
        replace(node, by: child, in: parent)
        nodes.remove(at: node)
        count -= 1
        if parent >= 0 { update(from: parent) }
    }

    mutating func setArmed(_ isArmed: Bool, at node: Int) {
        nodes[node].isArmed = isArmed
        update(from: node)
    }

    /// Appends the armed groups for a value, and returns the number of visited nodes.
    func find(_ value: ComparedValue, into groups: inout [Int]) -> Int {
        find(value, in: root, into: &groups)
    }

    private func find(_ value: ComparedValue, in node: Int, into groups: inout [Int]) -> Int {
        guard node >= 0 else { return 0 }
        let last = nodes[node].last
        guard last >= 0, nodes[last].interval.ends(after: value) else { return 1 }
        var visits = 1 + find(value, in: nodes[node].left, into: &groups)
        guard nodes[node].interval.begins(before: value) else { return visits }
        if nodes[node].isArmed, nodes[node].interval.ends(after: value) { groups.append(nodes[node].group) }
        visits += find(value, in: nodes[node].right, into: &groups)
        return visits
    }

    /// Appends all groups with armed observers, and returns the number of visited nodes.
    @discardableResult
    func findAll(into groups: inout [Int]) -> Int { findAll(in: root, into: &groups) }

    private func findAll(in node: Int, into groups: inout [Int]) -> Int {
        guard node >= 0, nodes[node].last >= 0 else { return 0 }
        if nodes[node].isArmed { groups.append(nodes[node].group) }
        return 1 + findAll(in: nodes[node].left, into: &groups)
            + findAll(in: nodes[node].right, into: &groups)
    }
}

// MARK: - Balance

extension IntervalTree {
    /// Returns the next pseudorandom number. Equal sequences of insertions get equal numbers (SplitMix64:
    /// Steele, Lea, Flood 2014).
    private mutating func nextPriority() -> UInt64 {
        lastPriority &+= 0x9e37_79b9_7f4a_7c15
        var z = lastPriority
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    private mutating func replace(_ node: Int, by other: Int, in parent: Int) {
        if parent < 0 {
            root = other
        } else if nodes[parent].left == node {
            nodes[parent].left = other
        } else {
            nodes[parent].right = other
        }
    }

    /// Moves a node to the place of its parent, and the parent below it.
    private mutating func rotateUp(_ node: Int) {
        let parent = nodes[node].parent
        let grandparent = nodes[parent].parent
        let moved: Int
        if nodes[parent].left == node {
            moved = nodes[node].right
            nodes[parent].left = moved
            nodes[node].right = parent
        } else {
            moved = nodes[node].left
            nodes[parent].right = moved
            nodes[node].left = parent
        }
        if moved >= 0 { nodes[moved].parent = parent }
        nodes[parent].parent = node
        nodes[node].parent = grandparent
        replace(parent, by: node, in: grandparent)
        nodes[parent].last = lastEnd(below: parent)
        nodes[node].last = lastEnd(below: node)
    }

    private mutating func update(from first: Int) {
        var node = first
        while node >= 0 {
            nodes[node].last = lastEnd(below: node)
            node = nodes[node].parent
        }
    }

    private func lastEnd(below node: Int) -> Int {
        let last = later(nodes[node].isArmed ? node : -1, lastEnd(of: nodes[node].left))
        return later(last, lastEnd(of: nodes[node].right))
    }

    private func lastEnd(of subtree: Int) -> Int { subtree < 0 ? -1 : nodes[subtree].last }

    /// Returns the node with the later end of its interval; -1 stands for no node.
    private func later(_ one: Int, _ two: Int) -> Int {
        if one < 0 || two < 0 { return max(one, two) }
        return nodes[two].interval.ends(after: nodes[one].interval) ? two : one
    }
}
