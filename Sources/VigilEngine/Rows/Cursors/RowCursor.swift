/// A cursor over rows, returned by `Row.fetchCursor`.
///
/// The cursor returns the same ``Row`` object for each row: call ``Row/copy()`` to keep one.
public final class RowCursor: DatabaseCursor {
    private let run: RunningStatement
    private let adapter: (any RowAdapter)?
    /// The row that the cursor was moved to.
    @exclusivity(unchecked)  // bench: decode-macro
    @usableFromInline package private(set) var row: Row
    /// The columns requested from the row.
    private var columnLookups: ColumnLookups

    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        run = try RunningStatement(statement, arguments: arguments)
        self.adapter = adapter
        let layout = try statement.layout(adapter)
        columnLookups = statement.columnLookups(layout)
        row = Row(currentOf: statement, layout: layout, columnLookups)
    }

    deinit { row.endReuse() }

    /// The statement of the cursor. Do not run it yourself.
    public var _statement: Statement { run.statement }

    /// Returns the next row, or `nil` after the last one. It is valid until the following call, or the
    /// release of the cursor: then, its values are NULL.
    ///
    /// - Throws: `DatabaseError` if reading fails.
    public func next() throws -> Row? {
        try moveToNext() ? row : nil
    }

    /// Moves to the next row, without a reference to it for the caller. Returns `false` after the last one.
    @usableFromInline
    package func moveToNext() throws -> Bool {
        guard let cells = try run.step() else { return false }
        if row.cells != cells { try replaceRow() }
        columnLookups.restart()
        return true
    }

    /// Creates another row, because the statement was compiled again and its columns may have changed.
    private func replaceRow() throws {
        row.endReuse()
        let layout = try run.statement.layout(adapter)
        columnLookups = run.statement.columnLookups(layout)
        row = Row(currentOf: run.statement, layout: layout, columnLookups)
    }
}
