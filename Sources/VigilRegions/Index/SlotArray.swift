/// An array whose elements keep their index until they are removed. Indexes are reused.
///
/// A removed element is replaced by a vacant one instead of an optional: reading a field of an optional copied
/// the whole element.
struct SlotArray<Element: Sendable>: Sendable {
    private let vacant: Element
    private var elements: [Element] = []
    private var free: [Int] = []

    init(vacant: Element) {
        self.vacant = vacant
    }

    /// The indexes, including those of vacant elements.
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
