import VigilStorage

/// A cursor over the values of one column, returned by `fetchCursor`.
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: DatabaseCursor {
    private let run: RunningStatement

    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        run = try RunningStatement(statement, arguments: arguments, valueOf: adapter)
    }

    /// The statement of the cursor. Do not run it yourself.
    public var _statement: Statement { run.statement }

    /// Returns the value of the next row, or `nil` after the last one.
    ///
    /// - Throws: ``RowDecodingError`` if the value cannot be converted; `DatabaseError` if reading fails.
    public func next() throws -> Value? {
        guard let cell = try run.step()?.pointee else { return nil }
        return try Value.decode(cell: cell, context: run.context(DatabaseValue(copying: cell)))
    }
}

/// A cursor over the values of one column, decoded directly from the row. Returned by `fetchCursor`.
public final class FastDatabaseValueCursor<Value>: DatabaseCursor
where Value: DatabaseValueConvertible & StatementColumnConvertible {
    @usableFromInline let run: RunningStatement

    @usableFromInline
    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        run = try RunningStatement(statement, arguments: arguments, valueOf: adapter)
    }

    /// The statement of the cursor. Do not run it yourself.
    public var _statement: Statement { run.statement }

    /// Returns the value of the next row, or `nil` after the last one.
    ///
    /// - Throws: ``RowDecodingError`` if the value cannot be converted; `DatabaseError` if reading fails.
    @inlinable  // bench: decode-rows
    public func next() throws -> Value? {
        guard let cell = try run.step()?.pointee else { return nil }
        guard let value = Value.fromCell(cell) else { throw run.mismatch(Value.self, cell: cell) }
        return value
    }
}
