/// Insertions, replacements and removals of entries, in ascending order of their keys.
package struct TreeEdits: Sendable {
    package private(set) var keys = KeyList()
    /// The index of each new element, or ``removal``.
    package private(set) var elements: [Int32] = []
    /// Whether the edits insert all elements in their order.
    private(set) var insertsInOrder = false

    static let removal: Int32 = -1

    package init() {}

    /// Creates insertions of ascending keys, with the given elements, or with elements at the same indices.
    init(inserting keys: KeyList, elementIndices: [Int]?) {
        self.keys = keys
        elements = elementIndices.map { $0.map { Int32($0) } } ?? (0..<Int32(keys.count)).map { $0 }
        insertsInOrder = elementIndices == nil
    }

    mutating func reserveCapacity(_ count: Int, bytes: Int) {
        keys.reserveCapacity(count, bytes: bytes)
        elements.reserveCapacity(count)
    }

    var count: Int { elements.count }
    package var isEmpty: Bool { elements.isEmpty }

    /// Adds an edit. Its key must be above all others.
    mutating func append(_ key: UnsafeRawBufferPointer, element: Int?) {
        keys.append(key)
        elements.append(element.map { Int32($0) } ?? Self.removal)
    }

    /// Adds an edit of a tree without elements. `build` appends its key. It must be above all others.
    mutating func append(isRemoval: Bool, key build: (inout KeyList) -> Void) {
        build(&keys)
        elements.append(isRemoval ? Self.removal : 0)
    }
}
