@usableFromInline
package struct LeafElements {
    /// The `ElementBlock` with the memory of the elements.
    let owner: AnyObject
    /// The first element. The memory of an object does not move.
    @usableFromInline let start: UnsafeRawPointer
}

/// The elements of a leaf, stored inline in the object. They never change.
final class ElementBlock<Element: Sendable>: ManagedBuffer<Int, Element> {
    /// Returns elements written by `initialize` into uninitialized memory. It must write all of them.
    static func make(
        _ count: Int, _ initialize: (UnsafeMutablePointer<Element>) -> Void
    ) -> LeafElements {
        let owner = create(minimumCapacity: count) { _ in count }
        return owner.withUnsafeMutablePointerToElements { start in
            initialize(start)
            return LeafElements(owner: owner, start: start)
        }
    }

    deinit {
        withUnsafeMutablePointers { count, elements in
            _ = elements.deinitialize(count: count.pointee)
        }
    }

    /// Returns the elements with a range replaced by another element, or removed if `element` is `nil`.
    // A method of an object, because it need not look up the type of its blocks.
    func replacing(
        _ range: Range<Int>, of old: UnsafeBufferPointer<Element>, by element: UnsafePointer<Element>?
    ) -> LeafElements {
        let rest = range.upperBound..<old.count
        let count = range.lowerBound + (element == nil ? 0 : 1) + rest.count
        return ElementBlock.make(count) { new in
            guard let start = old.baseAddress else { return }
            new.initialize(from: start, count: range.lowerBound)
            var place = new + range.lowerBound
            if let element {
                place.initialize(from: element, count: 1)
                place += 1
            }
            place.initialize(from: start + rest.lowerBound, count: rest.count)
        }
    }

    /// Joins elements of leaves and new ones.
    static func joining(
        _ pieces: [TreeEditor.Piece], count: Int, _ edits: TreeEdits, new: UnsafeBufferPointer<Element>
    ) -> LeafElements {
        make(count) { start in
            var place = start
            for piece in pieces {
                if let leaf = piece.leaf {
                    leaf.withElements(of: Element.self) { old in
                        guard let old = old.baseAddress else { return }
                        place.initialize(from: old + piece.range.lowerBound, count: piece.range.count)
                    }
                    place += piece.range.count
                } else {
                    for index in piece.range {
                        place.initialize(to: new[Int(edits.elements[index])])
                        place += 1
                    }
                }
            }
        }
    }

    /// Moves elements from the memory of a fetch.
    static func moving(
        _ range: Range<Int>, _ edits: TreeEdits?, from new: UnsafeMutablePointer<Element>
    ) -> LeafElements {
        make(range.count) { start in
            guard let edits, !edits.insertsInOrder else {
                return start.moveInitialize(from: new + range.lowerBound, count: range.count)
            }
            for (place, index) in range.enumerated() {
                (start + place).moveInitialize(from: new + Int(edits.elements[index]), count: 1)
            }
        }
    }
}

extension ListNode {
    /// Calls `body` with the elements of a leaf of an order tree, without retaining them. They are valid as
    /// long as the leaf.
    @inlinable  // bench: list-iterate
    @inline(__always)
    func withElements<Element: Sendable, Result>(
        of type: Element.Type, _ body: (UnsafeBufferPointer<Element>) -> Result
    ) -> Result {
        defer { withExtendedLifetime(self) {} }
        // All elements of a tree have one type, and each leaf of an order tree has elements.
        let start = elements.unsafelyUnwrapped.start.assumingMemoryBound(to: type)
        return body(UnsafeBufferPointer(start: start, count: count))
    }

    func replacing<Element: Sendable>(
        _ range: Range<Int>, by element: UnsafePointer<Element>?
    ) -> LeafElements {
        let block = unsafeDowncast(elements.unsafelyUnwrapped.owner, to: ElementBlock<Element>.self)
        return withElements(of: Element.self) { block.replacing(range, of: $0, by: element) }
    }
}
