extension RangeReplaceableCollection {
    /// The elements of a cursor.
    @inlinable  // bench: decode-rows
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try append(contentsOf: cursor)
    }

    /// The elements of a cursor.
    ///
    /// - Parameter minimumCapacity: how many elements to make room for at once.
    @inlinable  // bench: decode-rows
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init()
        reserveCapacity(minimumCapacity)
        try append(contentsOf: cursor)
    }

    /// Adds the elements of a cursor.
    @inlinable  // bench: decode-rows
    public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
        try newElements.forEach { append($0) }
    }
}

extension Set {
    /// The elements of a cursor.
    @inlinable  // bench: decode-rows
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try formUnion(cursor)
    }

    /// The elements of a cursor.
    ///
    /// - Parameter minimumCapacity: how many elements to make room for at once.
    @inlinable  // bench: decode-rows
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init(minimumCapacity: minimumCapacity)
        try formUnion(cursor)
    }

    /// The elements of both.
    public func union(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = self
        try result.formUnion(cursor)
        return result
    }

    /// Adds the elements of a cursor.
    @inlinable  // bench: decode-rows
    public mutating func formUnion(_ cursor: some Cursor<Element>) throws {
        try cursor.forEach { insert($0) }
    }

    /// The elements that are in both.
    public func intersection(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result: Set<Element> = []
        try cursor.forEach { element in
            if contains(element) { result.insert(element) }
        }
        return result
    }

    /// Removes the elements that the cursor has not.
    public mutating func formIntersection(_ cursor: some Cursor<Element>) throws {
        self = try intersection(cursor)
    }
}

extension Dictionary {
    /// The elements of a cursor, grouped by key.
    public init<C: Cursor>(grouping cursor: C, by keyForValue: (C.Element) throws -> Key) throws
    where Value == [C.Element] {
        try self.init(minimumCapacity: 0, grouping: cursor, by: keyForValue)
    }

    /// The elements of a cursor, grouped by key.
    ///
    /// - Parameter minimumCapacity: how many keys to make room for at once.
    public init<C: Cursor>(
        minimumCapacity: Int, grouping cursor: C, by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        self.init(minimumCapacity: minimumCapacity)
        try cursor.forEach { value in try self[keyForValue(value), default: []].append(value) }
    }

    /// The keys and values of a cursor.
    ///
    /// - Precondition: no key comes twice.
    public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
    }

    /// The keys and values of a cursor.
    ///
    /// - Parameter minimumCapacity: how many keys to make room for at once.
    /// - Precondition: no key comes twice.
    public init(
        minimumCapacity: Int, uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>
    ) throws {
        self.init(minimumCapacity: minimumCapacity)
        try keysAndValues.forEach { key, value in
            let old = updateValue(value, forKey: key)
            precondition(old == nil, "a cursor for a dictionary has a key twice")
        }
    }
}
