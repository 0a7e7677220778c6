import VigilStorage

@testable import VigilLists

extension ListTree {
    /// Returns the violated invariant; `nil` if the tree is valid. Visits all nodes.
    func violation() -> String? {
        if let violation = root?.violation(isRoot: true) { return "order tree: \(violation)" }
        let keys = keys
        for (source, root) in indexes.map({ ($0.source, $0.root) }) {
            if let violation = root?.violation(isRoot: true) {
                return "index of source \(source): \(violation)"
            }
            var indexed = 0
            for index in 0..<keys.count {
                let isMissing = keys.withKey(at: index) { key in
                    guard shape.rowID(of: source, in: key) != nil else { return false }
                    indexed += 1
                    var indexKey = KeyList()
                    shape.appendIndexKey(key, source: source, to: &indexKey)
                    return indexKey.withKey(at: 0) { root?.entry(of: $0) } == nil
                }
                if isMissing { return "index of source \(source) lacks entry \(index)" }
            }
            if indexed != root?.count ?? 0 { return "index of source \(source) has other entries" }
        }
        return nil
    }
}

extension ListNode {
    fileprivate func violation(isRoot: Bool) -> String? {
        guard count > 0 else { return "an empty node" }
        if keys.count != (level == 0 ? count : children.count) { return "the number of keys" }
        for index in 1..<max(1, keys.count) {
            let ascends = keys.withKey(at: index - 1) { a in
                keys.withKey(at: index) { compareBytes(a, $0) < 0 }
            }
            if !ascends { return "keys do not ascend" }
        }
        return level == 0 ? leafViolation() : branchViolation(isRoot: isRoot)
    }

    private func leafViolation() -> String? {
        if count > NodeSizes.leaf { return "a leaf of \(count) entries" }
        return stamps.count == (elements == nil ? 0 : count) ? nil : "the number of stamps"
    }

    private func branchViolation(isRoot: Bool) -> String? {
        if children.count > NodeSizes.branch { return "a branch of \(children.count) children" }
        if isRoot, children.count == 1 { return "a root with one child" }
        var sum = 0
        for (index, child) in children.enumerated() {
            sum += child.count
            if ends[index] != sum { return "the count of a child" }
            if child.level != level - 1 { return "the level of a child" }
            if let violation = child.violation(isRoot: false) { return violation }
            let hasKey = child.keys.withKey(at: 0) { a in keys.withKey(at: index) { compareBytes(a, $0) == 0 }
            }
            if !hasKey { return "the first key of a child" }
            if index > 0, !children[index - 1].lastKeyPrecedes(child) { return "keys of children overlap" }
        }
        return sum == count ? nil : "the count"
    }

    private func lastKeyPrecedes(_ next: ListNode) -> Bool {
        var node = self
        while let last = node.children.last { node = last }
        return node.keys.withKey(at: node.count - 1) { a in
            next.keys.withKey(at: 0) { compareBytes(a, $0) < 0 }
        }
    }
}

extension ObservedList {
    /// Returns the violated invariant of its structure; `nil` if the list is valid. Visits all nodes.
    func violation() -> String? {
        guard let version, let tree = version.tree else { return nil }
        return tree.violation() ?? version.root?.violation(isRoot: true).map { "shown tree: \($0)" }
    }
}
