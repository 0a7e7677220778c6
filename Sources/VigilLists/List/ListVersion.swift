import Synchronization

/// The last stamp of this process. Stamps of all lists differ, so entries of any two lists can be compared by them.
private let lastStamp = Atomic<UInt64>(0)

func nextStamp() -> UInt64 { lastStamp.add(1, ordering: .relaxed).newValue }

/// The contents of a list.
@usableFromInline
package final class ListVersion<Element: Sendable>: Sendable {
    /// The elements; `nil` if there are none.
    @usableFromInline let root: ListNode?
    /// The rows; `nil` if the list is not followed row by row.
    let tree: ListTree?
    let traits: ElementTraits<Element>
    /// A number that no other version of any list has.
    let number = nextStamp()

    init(_ tree: ListTree, traits: ElementTraits<Element>) {
        root = tree.root
        self.tree = tree
        self.traits = traits
    }

    /// Creates the contents of a list that is not followed row by row.
    init(_ elements: [Element], traits: ElementTraits<Element>) {
        var nodes: [ListNode] = []
        NodeSizes.forEachPart(of: elements.count, limit: NodeSizes.leaf) { part in
            nodes.append(
                ListNode(
                    keys: .empty, count: part.count, stamps: [],
                    elements: ElementBlock(Array(elements[part]))))
        }
        while nodes.count > 1 { nodes = ListNode.branches(of: nodes) }
        root = nodes.first
        tree = nil
        self.traits = traits
    }

    /// Creates a version in which entries are replaced by fetched rows; `nil` if it would be equal to the last one.
    ///
    /// For the parameters, see ``ListTree/replace(_:with:elementIndices:elements:stamp:)``.
    convenience init?(
        _ tree: ListTree, replacing old: KeyList, with keys: KeyList, elementIndices: [Int]?,
        elements: [Element], traits: ElementTraits<Element>
    ) {
        var tree = tree
        let fetched = FetchedElements(elements: elements, areEqual: traits.areEqual)
        guard
            tree.replace(
                old, with: keys, elementIndices: elementIndices, elements: fetched, stamp: nextStamp())
        else { return nil }
        self.init(tree, traits: traits)
    }
}

/// The elements of fetched rows.
private struct FetchedElements<Element: Sendable>: EntryElements {
    let elements: [Element]
    let areEqual: (@Sendable (Element, Element) -> Bool)?

    var canCompare: Bool { areEqual != nil }

    func isEqual(_ leaf: ListNode, _ index: Int, _ element: Int) -> Bool {
        areEqual?(leaf.elements(Element.self)[index], elements[element]) ?? false
    }

    func block(_ pieces: [TreeEditor.Piece], _ count: Int, _ edits: TreeEdits) -> any AnyObject & Sendable {
        ElementBlock(pieces, count: count, edits, new: elements)
    }
}
