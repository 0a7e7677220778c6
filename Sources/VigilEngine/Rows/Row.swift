import VigilStorage

/// A row of a query's result.
///
/// A row that a cursor returns is valid until the cursor moves on; ``copy()`` makes one that lasts. All others last.
public final class Row {
    enum Content {
        /// The current row of a statement.
        case current(StorageRow)
        case copied([StorageValue])
    }

    let layout: RowLayout
    let content: Content

    init(layout: RowLayout, content: Content) {
        self.layout = layout
        self.content = content
    }

    convenience init(current statement: any StorageStatement) {
        self.init(layout: RowLayout(names: statement.columnNames), content: .current(statement.row))
    }

    /// A row that lasts.
    public func copy() -> Row {
        guard case .current = content else { return self }
        return Row(layout: layout, content: .copied((0..<count).map { storageValue(at: $0) }))
    }

    // MARK: - Columns

    /// The number of columns.
    public var count: Int { layout.names.count }

    /// The names of the columns, from left to right.
    public var columnNames: LazyMapCollection<Row, String> { lazy.map { $0.0 } }

    /// The values, from left to right.
    public var databaseValues: LazyMapCollection<Row, DatabaseValue> { lazy.map { $0.1 } }

    /// Whether there is a column of that name, whatever the case of its ASCII letters.
    public func hasColumn(_ name: String) -> Bool { layout.index(of: name) != nil }

    func storageValue(at index: Int) -> StorageValue {
        switch content {
        case .current(let row): row[index].value
        case .copied(let values): values[index]
        }
    }

    // MARK: - Values

    /// The value of a column by its index: `Int64`, `Double`, `String` or `Data`; `nil` for NULL.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        DatabaseValue(storageValue(at: checked(index))).storage.value
    }

    /// The value of a column by its index. A value that cannot be converted is a programming error: ask for an
    /// optional where NULL is possible.
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        decoded(Value.fromDatabaseValue(DatabaseValue(storageValue(at: checked(index)))), index)
    }

    /// The same, read in place.
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) -> Value {
        let index = checked(index)
        switch content {
        case .current(let row): return decoded(Value.fromCell(row.cells[index]), index)
        case .copied(let values): return decoded(Value.fromDatabaseValue(DatabaseValue(values[index])), index)
        }
    }

    /// The value of the leftmost column of that name; `nil` for NULL, and if there is no such column.
    public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
        layout.index(of: columnName).flatMap { self[$0] }
    }

    /// The value of the leftmost column of that name. Without such a column, an optional is `nil`.
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        guard let index = layout.index(of: columnName) else { return missing(columnName) }
        return self[index]
    }

    /// The same, read in place.
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ columnName: String)
        -> Value
    {
        guard let index = layout.index(of: columnName) else { return missing(columnName) }
        return self[index]
    }

    private func checked(_ index: Int) -> Int {
        precondition(index >= 0 && index < count, "row index out of range")
        return index
    }

    private func decoded<Value>(_ value: Value?, _ index: Int) -> Value {
        guard let value else {
            preconditionFailure(
                "could not decode \(Value.self) from column \(index) (\(layout.names[index])), which is \(kind(index))"
            )
        }
        return value
    }

    private func kind(_ index: Int) -> String {
        switch storageValue(at: index) {
        case .null: "NULL"
        case .integer: "an integer"
        case .real: "a real"
        case .text: "text"
        case .blob: "a blob"
        }
    }

    private func missing<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        guard let value = Value.fromMissingColumn() else {
            preconditionFailure("no column named \(columnName)")
        }
        return value
    }
}

// MARK: - Collection

/// The columns with their values, from left to right.
extension Row: RandomAccessCollection {
    /// The position of a column.
    public struct Index: Comparable, Strideable, Sendable {
        let offset: Int

        public static func < (a: Index, b: Index) -> Bool { a.offset < b.offset }
        public func distance(to other: Index) -> Int { other.offset - offset }
        public func advanced(by distance: Int) -> Index { Index(offset: offset + distance) }
    }

    public var startIndex: Index { Index(offset: 0) }
    public var endIndex: Index { Index(offset: layout.names.count) }

    public subscript(position: Index) -> (String, DatabaseValue) {
        (layout.names[position.offset], DatabaseValue(storageValue(at: position.offset)))
    }
}

extension Row: ExpressibleByDictionaryLiteral {
    public convenience init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(
            layout: RowLayout(names: elements.map(\.0)),
            content: .copied(elements.map { $0.1?.databaseValue.storageValue ?? .null }))
    }
}

extension Row: Equatable, Hashable {
    /// The same columns in the same order, with equal values.
    public static func == (a: Row, b: Row) -> Bool {
        a === b || (a.layout.names == b.layout.names && a.databaseValues.elementsEqual(b.databaseValues))
    }

    public func hash(into hasher: inout Hasher) {
        for (name, value) in self {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

// Guard: a row that lasts is immutable; one of a cursor must not leave the access, like the cursor.
extension Row: @unchecked Sendable {}

extension Row: CustomStringConvertible {
    /// `[id:1 name:"Arthur"]`
    public var description: String {
        "[" + map { "\($0.0):\($0.1)" }.joined(separator: " ") + "]"
    }
}
