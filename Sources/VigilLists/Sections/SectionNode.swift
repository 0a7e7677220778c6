/// Adjacent rows with equal section ids.
struct SectionRun: Equatable, Sendable {
    /// The number of the section's id, see ``SectionIDs``.
    let number: Int
    var count: Int
}

/// The sections of the rows below a node of a list's tree.
///
/// Nodes of lists never change, and versions of a list share them. So the sections of a version are computed
/// from the ones of an earlier version: only nodes that it does not have are read.
final class SectionNode: Sendable {
    private let node: ListNode
    let runs: [SectionRun]
    private let children: [SectionNode]

    /// - Parameters:
    ///   - known: the known sections of some nodes below, by the identity of the node.
    ///   - read: returns the sections of the elements of a leaf.
    init(
        _ node: ListNode, known: [ObjectIdentifier: SectionNode], read: (ListNode) -> [SectionRun]
    ) {
        self.node = node
        children = node.children.map { child in
            known[ObjectIdentifier(child)] ?? SectionNode(child, known: known, read: read)
        }
        if node.level == 0 {
            runs = read(node)
        } else {
            var runs: [SectionRun] = []
            for child in children { for run in child.runs { runs.append(joining: run) } }
            self.runs = runs
        }
    }

    /// Finds the nodes of a list, and below, that earlier sections have.
    ///
    /// The trees are compared level by level. Children of equal nodes are equal, so only children of
    /// different nodes are compared.
    ///
    /// - Parameters:
    ///   - nodes: nodes of one level.
    ///   - earlier: earlier sections of nodes of one level.
    static func find(
        _ nodes: [ListNode], in earlier: [SectionNode], _ known: inout [ObjectIdentifier: SectionNode]
    ) {
        guard let node = nodes.first, let other = earlier.first else { return }
        if node.level > other.node.level { return find(nodes.flatMap(\.children), in: earlier, &known) }
        if node.level < other.node.level { return find(nodes, in: earlier.flatMap(\.children), &known) }
        var candidates = Dictionary(uniqueKeysWithValues: earlier.map { (ObjectIdentifier($0.node), $0) })
        var new: [ListNode] = []
        for node in nodes {
            let id = ObjectIdentifier(node)
            if let same = candidates.removeValue(forKey: id) { known[id] = same } else { new.append(node) }
        }
        find(new.flatMap(\.children), in: candidates.values.flatMap(\.children), &known)
    }
}

extension [SectionRun] {
    mutating func append(joining run: SectionRun) {
        if last?.number == run.number { self[count - 1].count += run.count } else { append(run) }
    }
}
