/// An array with stable indexes. The indexes of removed elements are reused.
///
/// A vacant element replaces a removed one, not an optional: reading a field of an optional copied the whole
/// element.
struct SlotArray<Element: Sendable>: Sendable {
    private let vacant: Element
    private var elements: [Element] = []
    private var free: [Int] = []

    init(vacant: Element) {
        self.vacant = vacant
    }

    /// The indexes, including vacant elements.
    var indices: Range<Int> { elements.indices }

    /// Adds an element.
    ///
    /// - Returns: its index.
    mutating func insert(_ element: Element) -> Int {
        if let index = free.popLast() {
            elements[index] = element
            return index
        }
        elements.append(element)
        return elements.count - 1
    }

    mutating func remove(at index: Int) {
        elements[index] = vacant
        free.append(index)
    }

    subscript(index: Int) -> Element {
        _read { yield elements[index] }
        _modify { yield &elements[index] }
    }
}
