import VigilStorage

// Methods that return a value. They iterate the cursor immediately, only as far as the result requires.
extension Cursor {
    /// Whether no element remains. Reading this property consumes the next element.
    ///
    /// - Throws: The error of the cursor.
    public var isEmpty: Bool {
        get throws { try next() == nil }
    }

    /// Returns whether an element satisfies a predicate. Throws the error of the cursor or `predicate`.
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        try first(where: predicate) != nil
    }

    /// Returns the first element that satisfies a predicate. Throws the error of the cursor or `predicate`.
    public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
        while let element = try next() {
            if try predicate(element) { return element }
        }
        return nil
    }

    /// Returns the greatest element, the first one if several are equal; `nil` if no element remains.
    ///
    /// - Throws: The error of the cursor, or that of `areInIncreasingOrder`.
    public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var greatest = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(greatest, element) { greatest = element }
        }
        return greatest
    }

    /// Returns the least element, the first one if several are equal; `nil` if no element remains.
    ///
    /// - Throws: The error of the cursor, or that of `areInIncreasingOrder`.
    public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var least = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(element, least) { least = element }
        }
        return least
    }

    /// Returns the combination of all remaining elements.
    ///
    /// - Throws: The error of the cursor, or that of `nextPartialResult`.
    public func reduce<Result>(
        _ initialResult: Result, _ nextPartialResult: (Result, Element) throws -> Result
    ) throws -> Result {
        var result = initialResult
        try forEach { element in result = try nextPartialResult(result, element) }
        return result
    }

    /// Returns the combination of all remaining elements, updated in place.
    ///
    /// - Throws: The error of the cursor, or that of `updateAccumulatingResult`.
    public func reduce<Result>(
        into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
    ) throws -> Result {
        var result = initialResult
        try forEach { element in try updateAccumulatingResult(&result, element) }
        return result
    }

    /// Returns all remaining elements, except the last `n`.
    ///
    /// - Precondition: `n` is not negative.
    /// - Throws: The error of the cursor.
    public func dropLast(_ n: Int) throws -> [Element] {
        trap(unless: n >= 0, "the number of elements must not be negative")
        return try Array(self).dropLast(n)
    }

    /// Returns all remaining elements, except the last one, or throws the error of the cursor.
    public func dropLast() throws -> [Element] { try dropLast(1) }

    /// Returns the last elements, up to `maxLength`. Holds at most that many elements in memory.
    ///
    /// - Precondition: `maxLength` is not negative.
    /// - Throws: The error of the cursor.
    public func suffix(_ maxLength: Int) throws -> [Element] {
        trap(unless: maxLength >= 0, "the number of elements must not be negative")
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
    /// Returns whether an element equals `element`, or throws the error of the cursor.
    public func contains(_ element: Element) throws -> Bool { try contains { $0 == element } }
}

extension Cursor where Element: Comparable {
    /// Returns the greatest element; `nil` if no element remains. Throws the error of the cursor.
    public func max() throws -> Element? { try max(by: <) }

    /// Returns the least element; `nil` if no element remains. Throws the error of the cursor.
    public func min() throws -> Element? { try min(by: <) }
}

extension Cursor where Element: StringProtocol {
    /// Returns all remaining elements, concatenated with a separator, or throws the error of the cursor.
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
