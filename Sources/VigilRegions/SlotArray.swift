/// An array whose elements keep their index until they are removed; indices are used again.
///
/// A removed element gives way to a vacant one, not to an optional: optionals were copied whole for each look
/// at one of their fields.
struct SlotArray<Element: Sendable>: Sendable {
    private let vacant: Element
    private var elements: [Element] = []
    private var free: [Int] = []

    init(vacant: Element) {
        self.vacant = vacant
    }

    /// The indices, those of vacant elements included.
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
