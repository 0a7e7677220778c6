import VigilStorage

/// A cursor over the values of one column, which are read in place.
public final class FastDatabaseValueCursor<Value>: DatabaseCursor
where Value: DatabaseValueConvertible & StatementColumnConvertible {
    @usableFromInline let run: RunningStatement
    @usableFromInline let column: Int

    @usableFromInline
    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        run = try RunningStatement(statement, arguments: arguments)
        column = try run.firstColumn(adapter)
    }

    public var _statement: Statement { run.statement }

    /// - Throws: ``RowDecodingError`` if a value cannot be converted, `DatabaseError` if reading fails.
    @inlinable  // bench: decode-rows
    public func next() throws -> Value? {
        guard let cells = try run.step() else { return nil }
        let cell = cells[column]
        guard let value = Value.fromCell(cell) else { throw run.mismatch(Value.self, cell, column) }
        return value
    }
}
