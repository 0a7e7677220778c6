/// An array whose elements keep their index until they are removed; indices are used again.
struct SlotArray<Element: Sendable>: Sendable {
    private var slots: [Element?] = []
    private var free: [Int] = []

    /// Adds an element.
    ///
    /// - Returns: its index.
    mutating func insert(_ element: Element) -> Int {
        if let index = free.popLast() {
            slots[index] = element
            return index
        }
        slots.append(element)
        return slots.count - 1
    }

    mutating func remove(at index: Int) {
        precondition(slots[index] != nil, "slot \(index) is empty already")
        slots[index] = nil
        free.append(index)
    }

    /// The element at an index in use.
    subscript(index: Int) -> Element {
        _read { yield slots[index]! }
        _modify { yield &slots[index]! }
    }

    /// The indices in use.
    var indices: some Sequence<Int> { slots.indices.lazy.filter { slots[$0] != nil } }
}
