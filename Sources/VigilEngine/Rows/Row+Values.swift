import VigilStorage

// Values by index. A failed conversion is a programmer error: read an optional if the column may be NULL, or
// use `decode` if the database is not under your control.
extension Row {
    /// The value at an index, as an `Int64`, `Double`, `String` or `Data`; `nil` for NULL.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        databaseValue(at: index).storage.value
    }

    /// The value at an index, converted to the requested type.
    ///
    /// - Precondition: The value can be converted. `decode(_:atIndex:)` throws instead.
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        orTrap { try decode(Value.self, atIndex: index) }
    }

    /// The value at an index, converted directly to the requested type.
    ///
    /// - Precondition: The value can be converted. `decode(_:atIndex:)` throws instead.
    @inlinable  // bench: decode-rows
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) -> Value {
        guard let value = Value.fromCell(cell(at: index)) else { end(with: mismatch(Value.self, index)) }
        return value
    }

    /// Returns the value at an index, converted to the requested type.
    ///
    /// ```swift
    /// let score = try row.decode(Int.self, atIndex: 1)
    /// ```
    ///
    /// - Throws: ``RowDecodingError`` if the value cannot be converted.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        try Value.decode(cell: cell(at: index), context: context(index))
    }

    /// Returns the value at an index, converted directly, or throws ``RowDecodingError``.
    @inlinable  // bench: decode-rows
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        guard let value = Value.fromCell(cell(at: index)) else { throw mismatch(type, index) }
        return value
    }
}

// Values by column name
extension Row {
    /// The value of the leftmost column of the given name, as an `Int64`, `Double`, `String` or `Data`. It is
    /// `nil` for NULL, and if the column does not exist.
    public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
        index(ofColumn: columnName).flatMap { databaseValue(at: $0).storage.value }
    }

    /// The value of the leftmost column of the given name, converted to the requested type. An optional is
    /// `nil` if the column does not exist.
    ///
    /// - Precondition: The value can be converted. `decode(_:forColumn:)` throws instead.
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        orTrap { try decode(Value.self, forColumn: columnName) }
    }

    /// The value of the leftmost column of the given name, converted directly to the requested type. An
    /// optional is `nil` if the column does not exist.
    ///
    /// - Precondition: The value can be converted. `decode(_:forColumn:)` throws instead.
    @inlinable  // bench: decode-rows
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ columnName: String)
        -> Value
    {
        guard let index = index(ofColumn: columnName) else {
            guard let value = Value.fromMissingColumn() else { end(with: missing(columnName)) }
            return value
        }
        return self[index]
    }

    /// Returns the value of the leftmost column of the given name, converted to the requested type. An
    /// optional is `nil` if the column does not exist.
    ///
    /// - Throws: ``RowDecodingError`` if the column does not exist, or if its value cannot be converted.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else {
            guard let value = Value.fromMissingColumn() else { throw missing(columnName) }
            return value
        }
        return try decode(type, atIndex: index)
    }

    /// Returns the value of the leftmost column of the given name, converted directly to the requested type.
    /// An optional is `nil` if the column does not exist.
    ///
    /// - Throws: ``RowDecodingError`` if the column does not exist, or if its value cannot be converted.
    @inlinable  // bench: decode-rows
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else {
            guard let value = Value.fromMissingColumn() else { throw missing(columnName) }
            return value
        }
        return try decode(type, atIndex: index)
    }

    /// Returns the first non-NULL value among the columns of the given names. Missing columns are skipped.
    ///
    /// ```swift
    /// let name: String? = row.coalesce(["nickname", "name"])
    /// ```
    ///
    /// - Precondition: The value can be converted.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<String>) -> T? {
        for column in columns {
            if let value = self[column] as T? { return value }
        }
        return nil
    }
}

// Errors
extension Row {
    @usableFromInline
    package func mismatch(_ type: Any.Type, _ index: Int) -> any Error {
        RowDecodingError.valueMismatch(type, kind: cell(at: index).kind, context(index))
    }

    @usableFromInline
    package func missing(_ columnName: String) -> any Error {
        RowDecodingError(.columnNotFound(columnName), context())
    }

    /// Returns the column, its value, the statement and its arguments, for decoding errors.
    package func context(_ index: Int? = nil) -> RowDecodingError.Context {
        RowDecodingError.Context(
            columnName: index.map { layout.names[$0] }, columnIndex: index,
            value: layout.showsValues ? index.map { databaseValue(at: $0).description } : nil,
            sql: layout.sql, arguments: statement?.arguments, publicStatementArguments: layout.showsValues)
    }

    @usableFromInline
    func end(with error: any Error) -> Never { trap("\(error)") }

    /// Returns the value, or traps with the error.
    package func orTrap<T>(_ value: () throws -> T) -> T {
        do {
            return try value()
        } catch {
            end(with: error)
        }
    }
}
