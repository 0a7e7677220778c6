import VigilStorage

// Values by index. What cannot be converted is a programming error: ask for an optional where NULL is possible,
// or use `decode` where the database is not your own.
extension Row {
    /// The value of a column by its index: an `Int64`, `Double`, `String` or `Data`; `nil` for NULL.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
        databaseValue(at: index).storage.value
    }

    /// The value of a column by its index.
    ///
    /// - Precondition: the value can be converted; ``decode(_:atIndex:)-(Value.Type,_)`` throws instead.
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
        orTrap { try decode(Value.self, atIndex: index) }
    }

    /// The value of a column by its index, read in place.
    ///
    /// - Precondition: the value can be converted; ``decode(_:atIndex:)-(Value.Type,_)`` throws instead.
    @inlinable  // bench: decode-rows
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ index: Int) -> Value {
        guard let value = Value.fromCell(cell(at: index)) else { trap(mismatch(Value.self, index)) }
        return value
    }

    /// The value of a column by its index.
    ///
    /// - Throws: ``RowDecodingError`` if it cannot be converted.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        try Value.decode(databaseValue(at: index), context: context(index))
    }

    /// The value of a column by its index, read in place.
    ///
    /// - Throws: ``RowDecodingError`` if it cannot be converted.
    @inlinable  // bench: decode-rows
    public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type = Value.self, atIndex index: Int
    ) throws -> Value {
        guard let value = Value.fromCell(cell(at: index)) else { throw mismatch(type, index) }
        return value
    }
}

// Values by name.
extension Row {
    /// The value of the leftmost column of that name: an `Int64`, `Double`, `String` or `Data`; `nil` for NULL, and
    /// if there is no such column.
    public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
        index(ofColumn: columnName).flatMap { databaseValue(at: $0).storage.value }
    }

    /// The value of the leftmost column of that name. Without such a column, an optional is `nil`.
    ///
    /// - Precondition: the value can be converted; ``decode(_:forColumn:)-(Value.Type,String)`` throws instead.
    public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
        orTrap { try decode(Value.self, forColumn: columnName) }
    }

    /// The value of the leftmost column of that name, read in place. Without such a column, an optional is `nil`.
    ///
    /// - Precondition: the value can be converted; ``decode(_:forColumn:)-(Value.Type,String)`` throws instead.
    @inlinable  // bench: decode-rows
    public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ columnName: String)
        -> Value
    {
        guard let index = index(ofColumn: columnName) else {
            guard let value = Value.fromMissingColumn() else { trap(missing(columnName)) }
            return value
        }
        return self[index]
    }

    /// The value of the leftmost column of that name. Without such a column, an optional is `nil`.
    ///
    /// - Throws: ``RowDecodingError`` if there is no such column, or if its value cannot be converted.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn columnName: String
    ) throws -> Value {
        guard let index = index(ofColumn: columnName) else {
            guard let value = Value.fromMissingColumn() else { throw missing(columnName) }
            return value
        }
        return try decode(type, atIndex: index)
    }

    /// The value of the leftmost column of that name, read in place. Without such a column, an optional is `nil`.
    ///
    /// - Throws: ``RowDecodingError`` if there is no such column, or if its value cannot be converted.
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

    /// The first value that is not NULL, of the columns of these names. Columns that are missing are passed over.
    public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<String>) -> T? {
        for column in columns {
            if let value = self[column] as T? { return value }
        }
        return nil
    }
}

// Mistakes
extension Row {
    @usableFromInline
    package func mismatch(_ type: Any.Type, _ index: Int) -> any Error {
        RowDecodingError.valueMismatch(type, kind: cell(at: index).kind, context(index))
    }

    @usableFromInline
    package func missing(_ columnName: String) -> any Error {
        RowDecodingError(.columnNotFound(columnName), context())
    }

    /// Where in the row, and in which statement, something could not be read.
    package func context(_ index: Int? = nil) -> RowDecodingError.Context {
        RowDecodingError.Context(
            columnName: index.map { layout.names[$0] }, columnIndex: index, sql: layout.sql,
            arguments: statement?.arguments,
            publicStatementArguments: statement?.publicStatementArguments ?? false)
    }

    @usableFromInline
    func trap(_ error: any Error) -> Never { preconditionFailure("\(error)") }

    /// The value, or a trap that says why there is none.
    package func orTrap<T>(_ value: () throws -> T) -> T {
        do {
            return try value()
        } catch {
            trap(error)
        }
    }
}
