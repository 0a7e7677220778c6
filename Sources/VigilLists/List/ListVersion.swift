import Synchronization

/// The last stamp of this process. The stamps of all lists differ, so they identify the entries of any two
/// lists.
private let lastStamp = Atomic<UInt64>(0)

func nextStamp() -> UInt64 { lastStamp.add(1, ordering: .relaxed).newValue }

/// The contents of a list. It does not know the type of the elements.
@usableFromInline
package final class ListVersion: Sendable {
    /// The elements; `nil` if the list is empty.
    @usableFromInline let root: ListNode?
    /// The rows, and those that a window keeps beside them; `nil` if the list is not followed row by row.
    let tree: ListTree?
    private let traits: any ErasedElementTraits
    /// The unique number of this version among the versions of all lists.
    package let number = nextStamp()

    /// - Parameter root: the shown rows of the tree.
    init(_ tree: ListTree, showing root: ListNode?, _ traits: any ErasedElementTraits) {
        self.root = root
        self.tree = tree
        self.traits = traits
    }

    /// Creates the contents of a list not followed row by row.
    init(_ elements: any FetchedElements, _ traits: any ErasedElementTraits) {
        var nodes: [ListNode] = []
        NodeSizes.forEachPart(of: elements.count, limit: NodeSizes.leaf) { part in
            nodes.append(
                ListNode(
                    keys: .empty, count: part.count, stamps: [], elements: elements.block(moving: part, nil)))
        }
        elements.didMoveAll()
        while nodes.count > 1 { nodes = ListNode.branches(of: nodes) }
        root = nodes.first
        tree = nil
        self.traits = traits
    }

    /// Returns the operations on the elements. `type` must be the element type of the list.
    func traits<Element: Sendable>(of type: Element.Type) -> ElementTraits<Element> {
        unsafeDowncast(traits, to: ElementTraits<Element>.self)
    }

    /// Returns the identity of the row at an index.
    func identity(at index: Int) -> RowIdentity {
        guard let root, let shape = tree?.shape else { return RowIdentity(.position(index)) }
        let (leaf, place) = root.leaf(at: index)
        return leaf._withUnsafeGuaranteedRef { leaf in
            leaf.keys.withKey(at: place) { shape.identity(in: $0) }
        }
    }

    /// Returns whether two lists of one type have the same rows in the same order, with equal elements if
    /// they are comparable.
    package func hasSameRows(as other: ListVersion) -> Bool {
        guard let root, let otherRoot = other.root else { return (root == nil) == (other.root == nil) }
        return root.count == otherRoot.count
            && (0..<root.count).allSatisfy { index in
                let (leaf, place) = root.leaf(at: index)
                let (otherLeaf, otherPlace) = otherRoot.leaf(at: index)
                return identity(at: index) == other.identity(at: index)
                    && leaf._withUnsafeGuaranteedRef { leaf in
                        otherLeaf._withUnsafeGuaranteedRef {
                            traits.isEqual(leaf, at: place, to: $0, at: otherPlace) ?? true
                        }
                    }
            }
    }
}
