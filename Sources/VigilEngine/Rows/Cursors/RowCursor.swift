/// A cursor over rows, returned by `Row.fetchCursor`.
///
/// The cursor returns the same ``Row`` object for each row: call ``Row/copy()`` to keep one.
public final class RowCursor: DatabaseCursor {
    private let run: RunningStatement
    private let adapter: (any RowAdapter)?
    private var row: Row

    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        run = try RunningStatement(statement, arguments: arguments)
        self.adapter = adapter
        row = Row(currentOf: statement, layout: try statement.layout(adapter))
    }

    /// The statement that the cursor runs. Do not run it yourself.
    public var _statement: Statement { run.statement }

    /// Returns the next row, which is valid until the following call, or `nil` after the last one.
    ///
    /// - Throws: `DatabaseError` if reading fails.
    public func next() throws -> Row? {
        guard let cells = try run.step() else { return nil }
        if row.cells != cells {
            row = Row(currentOf: run.statement, layout: try run.statement.layout(adapter))
        }
        return row
    }
}
