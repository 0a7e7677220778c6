import VigilStorage

extension RangeReplaceableCollection {
    /// Creates a collection of the remaining elements of a cursor.
    ///
    /// ```swift
    /// let names = try Array(String.fetchCursor(db, sql: "SELECT name FROM player"))
    /// ```
    ///
    /// - Throws: The error of the cursor.
    @inlinable  // bench: decode-rows
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try append(contentsOf: cursor)
    }

    /// Creates a collection of the remaining elements, with space for at least `minimumCapacity` of them.
    ///
    /// - Throws: The error of the cursor.
    @inlinable  // bench: decode-rows
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init()
        reserveCapacity(minimumCapacity)
        try append(contentsOf: cursor)
    }

    /// Appends the remaining elements of a cursor.
    ///
    /// - Throws: The error of the cursor. Elements that were read before it remain appended.
    @inlinable  // bench: decode-rows
    public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
        try newElements.forEach { append($0) }
    }
}

extension Array {
    /// Creates an array of the values of the remaining rows.
    ///
    /// An observation usually fetches about as many rows as before, so that the array begins with space for
    /// as many: it need not be copied while it grows, and is not twice as large as its content.
    ///
    /// - Throws: The error of the cursor.
    @inlinable  // bench: decode-macro
    public init(_ cursor: some DatabaseCursor<Element>) throws {
        self.init()
        let statement = cursor._statement
        let expected = statement.lastRowCount
        reserveCapacity(expected + expected / 16)
        try append(contentsOf: cursor)
        statement.lastRowCount = count
        guard expected > 64, count < expected / 2 else { return }
        // The space would be held as long as the values are.
        var shorter: [Element] = []
        shorter.reserveCapacity(count)
        shorter += self
        self = shorter
    }
}

extension Set {
    /// Creates a set of the remaining elements of a cursor, or throws its error.
    @inlinable  // bench: decode-rows
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try formUnion(cursor)
    }

    /// Creates a set of the remaining elements, with space for at least `minimumCapacity` of them.
    ///
    /// - Throws: The error of the cursor.
    @inlinable  // bench: decode-rows
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init(minimumCapacity: minimumCapacity)
        try formUnion(cursor)
    }

    /// Returns the elements of the set and of the cursor, or throws the error of the cursor.
    public func union(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = self
        try result.formUnion(cursor)
        return result
    }

    /// Inserts the remaining elements of a cursor.
    ///
    /// - Throws: The error of the cursor. Elements that were read before it remain inserted.
    @inlinable  // bench: decode-rows
    public mutating func formUnion(_ cursor: some Cursor<Element>) throws {
        try cursor.forEach { insert($0) }
    }

    /// Returns the elements of both the set and the cursor, or throws the error of the cursor.
    public func intersection(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result: Set<Element> = []
        try cursor.forEach { element in
            if contains(element) { result.insert(element) }
        }
        return result
    }

    /// Removes the elements that the cursor does not contain.
    ///
    /// - Throws: The error of the cursor. The set is then unchanged.
    public mutating func formIntersection(_ cursor: some Cursor<Element>) throws {
        self = try intersection(cursor)
    }
}

extension Dictionary {
    /// Creates a dictionary of the remaining elements of a cursor, grouped by key.
    ///
    /// - Throws: The error of the cursor, or that of `keyForValue`.
    public init<C: Cursor>(grouping cursor: C, by keyForValue: (C.Element) throws -> Key) throws
    where Value == [C.Element] {
        try self.init(minimumCapacity: 0, grouping: cursor, by: keyForValue)
    }

    /// Creates a dictionary of the remaining elements, grouped by key, with space for `minimumCapacity` keys.
    ///
    /// - Throws: The error of the cursor, or that of `keyForValue`.
    public init<C: Cursor>(
        minimumCapacity: Int, grouping cursor: C, by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        self.init(minimumCapacity: minimumCapacity)
        try cursor.forEach { value in try self[keyForValue(value), default: []].append(value) }
    }

    /// Creates a dictionary from a cursor over keys and values.
    ///
    /// - Precondition: The keys are unique.
    /// - Throws: The error of the cursor.
    public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
    }

    /// Creates a dictionary from a cursor over keys and values.
    ///
    /// - Parameters:
    ///   - minimumCapacity: the number of keys to reserve space for.
    ///   - keysAndValues: the cursor, to be read to its end.
    /// - Precondition: The keys are unique.
    /// - Throws: The error of the cursor.
    public init(
        minimumCapacity: Int, uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>
    ) throws {
        self.init(minimumCapacity: minimumCapacity)
        try keysAndValues.forEach { key, value in
            let old = updateValue(value, forKey: key)
            trap(
                unless: old == nil,
                "the keys of a dictionary must be unique: use init(grouping:by:) to keep all values")
        }
    }
}
