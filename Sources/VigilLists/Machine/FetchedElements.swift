/// The elements of a fetch. Their type is unknown.
package protocol FetchedElements: AnyObject {
    var count: Int { get }
    /// The memory for new elements.
    var slots: ElementSlots { get }
    var canCompare: Bool { get }
    /// Returns whether the element of an entry is equal to the fetched element at an index.
    func isEqual(_ element: Int, to leaf: ListNode, at index: Int) -> Bool
    /// Returns whether these are the elements of a tree, in the same order.
    func elementsEqual(_ root: ListNode?) -> Bool
    /// Returns the elements of a new leaf.
    func block(joining pieces: [TreeEditor.Piece], count: Int, _ edits: TreeEdits) -> LeafElements
    /// Returns the elements of a leaf of a new tree: the elements inserted by the edits at `range`, or the
    /// elements at `range` without edits.
    ///
    /// They are moved: each one must belong to one leaf. Call ``didMoveAll()`` before any other method.
    func block(moving range: Range<Int>, _ edits: TreeEdits?) -> LeafElements
    func didMoveAll()
    /// Returns the elements of a leaf, with a range replaced by the only element of the fetch.
    func block(replacing range: Range<Int>, of leaf: ListNode) -> LeafElements
    func block(removing index: Int, of leaf: ListNode) -> LeafElements
}

/// The memory of elements.
///
/// Without a generic type, because rows are appended by unspecialized code, and a generic class would look up
/// its metadata for each of them.
package final class ElementSlots {
    fileprivate(set) var start: UnsafeMutableRawPointer?
    private var capacity = 0
    fileprivate(set) var count = 0

    /// Returns the memory of the next element. Initialize it at once.
    func next<Element>(for type: Element.Type) -> UnsafeMutablePointer<Element> {
        if count == capacity { grow(type) }
        defer { count += 1 }
        return start.unsafelyUnwrapped.assumingMemoryBound(to: type) + count
    }

    private func grow<Element>(_ type: Element.Type) {
        capacity = max(4, capacity * 2)
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        if let start {
            larger.moveInitialize(from: start.assumingMemoryBound(to: type), count: count)
            start.deallocate()
        }
        start = UnsafeMutableRawPointer(larger)
    }
}

/// The elements of a fetch.
final class ElementBuffer<Element: Sendable>: FetchedElements {
    let slots = ElementSlots()
    private let traits: ElementTraits<Element>

    init(_ traits: ElementTraits<Element>) { self.traits = traits }

    deinit {
        start?.deinitialize(count: count)
        start?.deallocate()
    }

    private var start: UnsafeMutablePointer<Element>? {
        slots.start?.assumingMemoryBound(to: Element.self)
    }

    func append(_ element: consuming Element) { slots.next(for: Element.self).initialize(to: element) }

    var count: Int { slots.count }

    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: start, count: count) }

    var canCompare: Bool { traits.areEqual != nil }

    func isEqual(_ element: Int, to leaf: ListNode, at index: Int) -> Bool {
        leaf.withElements(of: Element.self) { old in
            traits.areEqual?(old[index], elements[element]) ?? false
        }
    }

    func elementsEqual(_ root: ListNode?) -> Bool {
        guard let areEqual = traits.areEqual, root?.count ?? 0 == count else { return false }
        var index = 0
        var isEqual = true
        root?.forEachLeaf { leaf in
            isEqual =
                isEqual
                && leaf.withElements(of: Element.self) { zip($0, elements[index...]).allSatisfy(areEqual) }
            index += leaf.count
        }
        return isEqual
    }

    func block(joining pieces: [TreeEditor.Piece], count: Int, _ edits: TreeEdits) -> LeafElements {
        ElementBlock.joining(pieces, count: count, edits, new: elements)
    }

    func block(moving range: Range<Int>, _ edits: TreeEdits?) -> LeafElements {
        ElementBlock.moving(range, edits, from: start.unsafelyUnwrapped)
    }

    func didMoveAll() { slots.count = 0 }

    func block(replacing range: Range<Int>, of leaf: ListNode) -> LeafElements {
        leaf.replacing(range, by: start.map { UnsafePointer($0) })
    }

    func block(removing index: Int, of leaf: ListNode) -> LeafElements {
        leaf.replacing(index..<index + 1, by: UnsafePointer<Element>?.none)
    }
}
