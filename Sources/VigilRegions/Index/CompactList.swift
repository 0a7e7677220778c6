import VigilStorage

/// A list with inline storage for the first element.
///
/// Most rows have one observer, and most observers one table with one condition.
struct CompactList<Element: Sendable>: Sendable {
    private var first: Element?
    private var others: [Element] = []

    init() {}

    init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    var count: Int { first == nil ? 0 : 1 + others.count }

    var isEmpty: Bool { first == nil }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    /// Removes an element and moves the last one to its place. The other elements keep their places.
    mutating func removeBySwapping(at index: Int) {
        trap(
            unless: index >= 0 && index < count,
            "index \(index) is out of range: the list has \(count) elements")
        let last = others.popLast()
        if index == 0 { first = last } else if index <= others.count, let last { others[index - 1] = last }
    }

    subscript(index: Int) -> Element {
        get {
            if index == 0, let first { return first }
            return others[index - 1]
        }
        set {
            if index == 0 { first = newValue } else { others[index - 1] = newValue }
        }
    }
}

extension CompactList: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { count }
}

extension CompactList: Equatable where Element: Equatable {}
extension CompactList: Hashable where Element: Hashable {}

extension CompactList where Element: Equatable {
    mutating func remove(_ element: Element) {
        for index in 0..<count where self[index] == element {
            removeBySwapping(at: index)
            return
        }
    }
}
