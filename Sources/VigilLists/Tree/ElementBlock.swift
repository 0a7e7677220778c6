/// The elements of a leaf.
@usableFromInline
package final class ElementBlock<Element: Sendable>: Sendable {
    @usableFromInline let elements: [Element]

    init(_ elements: [Element]) { self.elements = elements }

    /// Joins elements of leaves and new ones.
    convenience init(
        _ pieces: [TreeEditor.Piece], count: Int, _ edits: TreeEdits, new: UnsafeBufferPointer<Element>
    ) {
        self.init(
            Array(unsafeUninitializedCapacity: count) { buffer, initialized in
                guard let start = buffer.baseAddress else { return }
                for piece in pieces {
                    guard let leaf = piece.leaf else {
                        for index in piece.range {
                            (start + initialized).initialize(to: new[Int(edits.elements[index])])
                            initialized += 1
                        }
                        continue
                    }
                    leaf.elements(Element.self).withUnsafeBufferPointer { old in
                        guard let old = old.baseAddress else { return }
                        (start + initialized).initialize(
                            from: old + piece.range.lowerBound, count: piece.range.count)
                    }
                    initialized += piece.range.count
                }
            })
    }

    /// Moves elements from the memory of a fetch.
    convenience init(moving range: Range<Int>, _ edits: TreeEdits?, from new: UnsafeMutablePointer<Element>) {
        self.init(
            Array(unsafeUninitializedCapacity: range.count) { buffer, initialized in
                initialized = range.count
                guard let start = buffer.baseAddress else { return }
                guard let edits, !edits.insertsInOrder else {
                    return start.moveInitialize(from: new + range.lowerBound, count: range.count)
                }
                for (place, index) in range.enumerated() {
                    (start + place).moveInitialize(from: new + Int(edits.elements[index]), count: 1)
                }
            })
    }
}

extension ListNode {
    /// The elements of a leaf of an order tree.
    @inlinable  // bench: list-iterate
    func elements<Element: Sendable>(_ type: Element.Type) -> [Element] {
        withElementBlock(of: type) { $0.elements }
    }

    /// Calls `body` with the elements of a leaf of an order tree, without retaining them.
    @inlinable  // bench: list-iterate
    @inline(__always)
    func withElementBlock<Element: Sendable, Result>(
        of type: Element.Type, _ body: (ElementBlock<Element>) -> Result
    ) -> Result {
        // Each tree has elements of one type, and each of its leaves has elements.
        let block = unsafeDowncast(elements.unsafelyUnwrapped, to: ElementBlock<Element>.self)
        return Unmanaged.passUnretained(block)._withUnsafeGuaranteedRef(body)
    }
}
