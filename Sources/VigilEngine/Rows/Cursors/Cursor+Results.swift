// What ends in a value: the cursor is iterated at once, no further than the answer needs.
extension Cursor {
    /// Whether no element is left. The next one is consumed.
    public var isEmpty: Bool {
        get throws { try next() == nil }
    }

    /// Whether an element satisfies `predicate`.
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        try first(where: predicate) != nil
    }

    /// The first element that satisfies `predicate`.
    public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
        while let element = try next() {
            if try predicate(element) { return element }
        }
        return nil
    }

    /// The greatest element; of several, the first.
    public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var greatest = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(greatest, element) { greatest = element }
        }
        return greatest
    }

    /// The least element; of several, the first.
    public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var least = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(element, least) { least = element }
        }
        return least
    }

    /// Combines all elements.
    public func reduce<Result>(
        _ initialResult: Result, _ nextPartialResult: (Result, Element) throws -> Result
    ) throws -> Result {
        var result = initialResult
        try forEach { element in result = try nextPartialResult(result, element) }
        return result
    }

    /// Combines all elements, in place.
    public func reduce<Result>(
        into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
    ) throws -> Result {
        var result = initialResult
        try forEach { element in try updateAccumulatingResult(&result, element) }
        return result
    }

    /// All elements but the last `n`.
    ///
    /// - Precondition: `n` is not negative.
    public func dropLast(_ n: Int) throws -> [Element] {
        precondition(n >= 0, "a number of elements is negative")
        return try Array(self).dropLast(n)
    }

    /// All elements but the last.
    public func dropLast() throws -> [Element] { try dropLast(1) }

    /// The last elements, at most `maxLength`. No more than that many are held at a time.
    ///
    /// - Precondition: `maxLength` is not negative.
    public func suffix(_ maxLength: Int) throws -> [Element] {
        precondition(maxLength >= 0, "a number of elements is negative")
        guard maxLength > 0 else {
            try forEach { _ in }
            return []
        }
        var ring: [Element] = []
        var oldest = 0
        try forEach { element in
            if ring.count < maxLength {
                ring.append(element)
            } else {
                ring[oldest] = element
                oldest = (oldest + 1) % maxLength
            }
        }
        return Array(ring[oldest...] + ring[..<oldest])
    }
}

extension Cursor where Element: Equatable {
    /// Whether an element equals `element`.
    public func contains(_ element: Element) throws -> Bool { try contains { $0 == element } }
}

extension Cursor where Element: Comparable {
    /// The greatest element.
    public func max() throws -> Element? { try max(by: <) }

    /// The least element.
    public func min() throws -> Element? { try min(by: <) }
}

extension Cursor where Element: StringProtocol {
    /// The elements as one text.
    public func joined(separator: String = "") throws -> String {
        var text = ""
        var isFirst = true
        try forEach { element in
            if !isFirst { text += separator }
            isFirst = false
            text += element
        }
        return text
    }
}
