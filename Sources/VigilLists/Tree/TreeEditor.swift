import VigilStorage

/// Applies edits to a tree, and returns a new tree sharing all unchanged nodes with it.
///
/// All edits of a node are applied together, so each node is copied once.
package struct TreeEditor {
    /// A range of the entries of a leaf or, without a leaf, a range of the edits.
    package struct Piece {
        let leaf: ListNode?
        var range: Range<Int>
    }

    /// The replacement of a node.
    enum Replacement {
        case one(ListNode)
        case several([ListNode])
    }

    private let edits: TreeEdits
    private let keys: KeyPointers
    private let stamp: UInt64?
    private let elements: (any FetchedElements)?

    /// Returns the root of the edited tree; `nil` if it is empty.
    ///
    /// - Parameters:
    ///   - stamp: the stamp of new entries; `nil` for a tree without stamps.
    ///   - elements: the new elements; `nil` for a tree without elements.
    static func edit(
        _ root: ListNode?, _ edits: TreeEdits, stamp: UInt64? = nil,
        elements: (any FetchedElements)? = nil
    ) -> ListNode? {
        if edits.isEmpty { return root }
        return edits.keys.withKeys { keys in
            TreeEditor(edits: edits, keys: keys, stamp: stamp, elements: elements).edited(root)
        }
    }

    private func edited(_ root: ListNode?) -> ListNode? {
        var nodes: [ListNode]
        switch root.map({ edit($0, 0..<edits.count) }) {
        case .one(let node): return node.withoutSingleChildren
        case .several(let several): nodes = several
        case nil: nodes = newLeaves()
        }
        while nodes.count > 1 { nodes = ListNode.branches(of: nodes) }
        return nodes.first?.withoutSingleChildren
    }

    private func edit(_ node: ListNode, _ range: Range<Int>) -> Replacement {
        if node.level > 0 { return editBranch(node, range) }
        let pieces = merge(node, range)
        let count = pieces.reduce(0) { $0 + $1.range.count }
        if count > 0, count <= NodeSizes.leaf { return .one(leaf(pieces, count)) }
        return .several(leaves(of: pieces))
    }

    // MARK: Branches

    private func editBranch(_ branch: ListNode, _ range: Range<Int>) -> Replacement {
        var edited: [(child: Int, nodes: Replacement)] = []
        var replacements: [ListNode.ReplacedChild] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let child = branch.keys.child(
                containing: keys[start], from: edited.last.map { $0.child + 1 } ?? 0)
            let end = edits(before: child + 1, of: branch, in: start..<range.upperBound)
            let nodes = edit(branch.children[child], start..<end)
            if case .one(let node) = nodes, !node.isSmall { replacements.append((child, node)) }
            edited.append((child, nodes))
            start = end
        }
        if replacements.count == edited.count { return .one(ListNode(branch, replacing: replacements)) }
        var children = self.children(of: branch, replacedBy: edited)
        joinSmall(&children)
        if !children.isEmpty, children.count <= NodeSizes.branch { return .one(ListNode(children: children)) }
        return .several(ListNode.branches(of: children))
    }

    private func children(
        of branch: ListNode, replacedBy edited: [(child: Int, nodes: Replacement)]
    ) -> [ListNode] {
        var children: [ListNode] = []
        children.reserveCapacity(branch.children.count + edited.count)
        var next = 0
        for (child, nodes) in edited {
            children.append(contentsOf: branch.children[next..<child])
            children.append(contentsOf: nodes)
            next = child + 1
        }
        children.append(contentsOf: branch.children[next...])
        return children
    }

    /// Returns the end of the edits with keys below the first key of a child.
    private func edits(before child: Int, of branch: ListNode, in range: Range<Int>) -> Int {
        guard child < branch.keys.count else { return range.upperBound }
        return branch.keys.withKey(at: child) { key in
            var low = range.lowerBound + 1
            var high = range.upperBound
            while low < high {
                let middle = (low + high) / 2
                if compareBytes(keys[middle], key) < 0 { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// Joins each nearly empty node with a neighbour.
    private func joinSmall(_ nodes: inout [ListNode]) {
        var index = 0
        while nodes.count > 1, index < nodes.count {
            guard nodes[index].isSmall else {
                index += 1
                continue
            }
            let first = index == 0 ? 0 : index - 1
            let joined = join(nodes[first], nodes[first + 1])
            nodes.replaceSubrange(first...first + 1, with: joined)
            index = joined.count == 1 ? first : first + 2
        }
    }

    private func join(_ a: ListNode, _ b: ListNode) -> [ListNode] {
        if a.level > 0 { return ListNode.branches(of: a.children + b.children) }
        return leaves(of: [Piece(leaf: a, range: 0..<a.count), Piece(leaf: b, range: 0..<b.count)])
    }

    // MARK: Leaves

    /// Applies edits to the entries of a leaf.
    private func merge(_ leaf: ListNode?, _ range: Range<Int>) -> [Piece] {
        var pieces: [Piece] = []
        pieces.reserveCapacity(3)
        var place = 0
        for edit in range {
            let (index, isEqual) = leaf?.keys.lowerBound(of: keys[edit], from: place) ?? (0, false)
            if index > place { pieces.append(Piece(leaf: leaf, range: place..<index)) }
            place = isEqual ? index + 1 : index
            guard edits.elements[edit] != TreeEdits.removal else { continue }
            if let last = pieces.last, last.leaf == nil, last.range.upperBound == edit {
                pieces[pieces.count - 1].range = last.range.lowerBound..<edit + 1
            } else {
                pieces.append(Piece(leaf: nil, range: edit..<edit + 1))
            }
        }
        if let leaf, place < leaf.count { pieces.append(Piece(leaf: leaf, range: place..<leaf.count)) }
        return pieces
    }

    private func leaves(of pieces: [Piece]) -> [ListNode] {
        let count = pieces.reduce(0) { $0 + $1.range.count }
        if count > 0, count <= NodeSizes.leaf { return [leaf(pieces, count)] }
        var nodes: [ListNode] = []
        var rest = pieces[...]
        NodeSizes.forEachPart(of: count, limit: NodeSizes.leaf) { part in
            nodes.append(leaf(takeFirst(part.count, of: &rest), part.count))
        }
        return nodes
    }

    /// Returns the leaves of a new tree. Moves the elements into them if none is left over.
    private func newLeaves() -> [ListNode] {
        var nodes: [ListNode] = []
        let moves = elements?.count == edits.count
        NodeSizes.forEachPart(of: edits.count, limit: NodeSizes.leaf) { part in
            let piece = Piece(leaf: nil, range: part)
            guard moves else { return nodes.append(leaf([piece], part.count)) }
            var block = KeyBlock(byteCount: byteCount(of: [piece]))
            block.append(keys, part)
            nodes.append(
                ListNode(
                    keys: block, count: part.count,
                    stamps: Array(repeating: stamp ?? 0, count: part.count),
                    elements: elements?.block(moving: part, edits)))
        }
        if moves { elements?.didMoveAll() }
        return nodes
    }

    private func takeFirst(_ count: Int, of pieces: inout ArraySlice<Piece>) -> [Piece] {
        var taken: [Piece] = []
        var count = count
        while count > 0, let first = pieces.first {
            let end = min(first.range.upperBound, first.range.lowerBound + count)
            taken.append(Piece(leaf: first.leaf, range: first.range.lowerBound..<end))
            count -= end - first.range.lowerBound
            if end == first.range.upperBound {
                pieces.removeFirst()
            } else {
                pieces[pieces.startIndex].range = end..<first.range.upperBound
            }
        }
        return taken
    }

    private func leaf(_ pieces: [Piece], _ count: Int) -> ListNode {
        var block = KeyBlock(byteCount: byteCount(of: pieces))
        var stamps: [UInt64] = []
        if stamp != nil { stamps.reserveCapacity(count) }
        for piece in pieces {
            if let leaf = piece.leaf {
                block.append(leaf.keys, piece.range)
                if stamp != nil { stamps.append(contentsOf: leaf.stamps[piece.range]) }
            } else {
                block.append(keys, piece.range)
                if let stamp { stamps.append(contentsOf: repeatElement(stamp, count: piece.range.count)) }
            }
        }
        return ListNode(
            keys: block, count: count, stamps: stamps,
            elements: elements?.block(joining: pieces, count: count, edits)
        )
    }

    private func byteCount(of pieces: [Piece]) -> Int {
        pieces.reduce(0) { sum, piece in
            let (first, last) = (piece.range.lowerBound, piece.range.upperBound - 1)
            if let keys = piece.leaf?.keys {
                return sum + keys.range(at: last).upperBound - keys.range(at: first).lowerBound
            }
            return sum + edits.keys.range(at: last).upperBound - edits.keys.range(at: first).lowerBound
        }
    }
}

extension [ListNode] {
    fileprivate mutating func append(contentsOf replacement: TreeEditor.Replacement) {
        switch replacement {
        case .one(let node): append(node)
        case .several(let nodes): append(contentsOf: nodes)
        }
    }
}

extension ListNode {
    static func branches(of children: [ListNode]) -> [ListNode] {
        var nodes: [ListNode] = []
        NodeSizes.forEachPart(of: children.count, limit: NodeSizes.branch) {
            nodes.append(ListNode(children: Array(children[$0])))
        }
        return nodes
    }

    /// Whether the node has too few entries, and is joined with a neighbour.
    fileprivate var isSmall: Bool {
        level == 0 ? count < NodeSizes.leastLeaf : children.count < NodeSizes.branch / 4
    }

    fileprivate var withoutSingleChildren: ListNode {
        var node = self
        while node.children.count == 1 { node = node.children[0] }
        return node
    }
}
