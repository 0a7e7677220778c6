/// The elements of a fetch, whose type is not known.
package protocol FetchedElements: AnyObject {
    var count: Int { get }
    /// Whether elements can be compared.
    var canCompare: Bool { get }
    /// Returns whether the element of an entry is equal to the one at an index.
    func isEqual(_ leaf: ListNode, _ index: Int, _ element: Int) -> Bool
    /// Returns whether these are the elements of a tree, in the same order.
    func elementsEqual(_ root: ListNode?) -> Bool
    /// Returns the elements of a new leaf.
    func block(_ pieces: [TreeEditor.Piece], _ count: Int, _ edits: TreeEdits) -> any AnyObject & Sendable
    /// Returns the elements of a leaf of a new tree: those that the edits at `range` insert, or those at `range`.
    ///
    /// They are moved: each one must belong to one leaf, and ``didMoveAll()`` must be called before anything else.
    func block(moving range: Range<Int>, _ edits: TreeEdits?) -> any AnyObject & Sendable
    /// Notes that no elements are left.
    func didMoveAll()
    /// Returns the elements of a leaf, of which one is replaced by the only one of the fetch.
    func block(replacing index: Int, of leaf: ListNode) -> any AnyObject & Sendable
}

/// The memory of elements.
///
/// It does not know their type: rows are appended by code that is not specialized for the elements, in which a generic
/// type would look up its own metadata for each of them.
private struct ElementMemory {
    var start: UnsafeMutableRawPointer?
    var capacity = 0
    var count = 0
}

/// The elements of a fetch.
final class ElementBuffer<Element: Sendable>: FetchedElements {
    private var memory = ElementMemory()
    private let traits: ElementTraits<Element>

    init(_ traits: ElementTraits<Element>) { self.traits = traits }

    deinit {
        start?.deinitialize(count: memory.count)
        start?.deallocate()
    }

    private var start: UnsafeMutablePointer<Element>? {
        memory.start?.assumingMemoryBound(to: Element.self)
    }

    func append(_ element: consuming Element) {
        let (count, capacity) = (memory.count, memory.capacity)
        if count == capacity { grow(to: max(4, capacity * 2)) }
        (start.unsafelyUnwrapped + count).initialize(to: element)
        memory.count = count + 1
    }

    private func grow(to capacity: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        if let start {
            larger.moveInitialize(from: start, count: count)
            start.deallocate()
        }
        memory.start = UnsafeMutableRawPointer(larger)
        memory.capacity = capacity
    }

    var count: Int { memory.count }

    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: start, count: count) }

    var canCompare: Bool { traits.areEqual != nil }

    func isEqual(_ leaf: ListNode, _ index: Int, _ element: Int) -> Bool {
        leaf.withElementBlock(of: Element.self) { block in
            traits.areEqual?(block.elements[index], elements[element]) ?? false
        }
    }

    func elementsEqual(_ root: ListNode?) -> Bool {
        guard let areEqual = traits.areEqual, root?.count ?? 0 == count else { return false }
        var index = 0
        var isEqual = true
        root?.forEachLeaf { leaf in
            isEqual = isEqual && zip(leaf.elements(Element.self), elements[index...]).allSatisfy(areEqual)
            index += leaf.count
        }
        return isEqual
    }

    func block(_ pieces: [TreeEditor.Piece], _ count: Int, _ edits: TreeEdits) -> any AnyObject & Sendable {
        ElementBlock(pieces, count: count, edits, new: elements)
    }

    func block(moving range: Range<Int>, _ edits: TreeEdits?) -> any AnyObject & Sendable {
        ElementBlock(moving: range, edits, from: start.unsafelyUnwrapped)
    }

    func didMoveAll() { memory.count = 0 }

    func block(replacing index: Int, of leaf: ListNode) -> any AnyObject & Sendable {
        var copy = leaf.elements(Element.self)
        copy[index] = elements[0]
        return ElementBlock(copy)
    }
}
