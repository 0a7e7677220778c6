public import VigilStorage

// Runs that return all of their rows, or the first one. Cursors use `RunningStatement`.
extension Statement {
    /// Runs the statement, and calls `body` with each row until it returns `false`.
    ///
    /// - Parameter arguments: the values of the parameters. If `nil`, the current ``arguments`` are used.
    /// - Throws: an error of the arguments, of the statement, or of `body`.
    func forEachRow(arguments: StatementArguments? = nil, _ body: (StorageRow) throws -> Bool) throws {
        let number = try prepareRun(arguments: arguments)
        try begin()
        try readRows(of: number, body)
    }

    private func readRows(of number: Int, _ body: (StorageRow) throws -> Bool) throws {
        // Does nothing after the last row.
        defer { abandon(run: number) }
        guard try step() else { return }
        // Not earlier: if the schema has changed, the statement is compiled again by its first step.
        let row = storage.row
        while try body(row) {
            guard number == run.number else { throw DatabaseError.runAgain(sql) }
            guard try step() else { return }
        }
    }

    /// Runs the statement, and returns independent rows.
    ///
    /// - Parameters:
    ///   - arguments: the values of the parameters. If `nil`, the current ``arguments`` are used.
    ///   - adapter: adapts the columns of the rows.
    ///   - limit: the number of rows after which the run ends; `nil` to run to the end.
    func rows(
        arguments: StatementArguments?, adapter: (any RowAdapter)?, limit: Int? = nil
    ) throws -> [Row] {
        let number = try prepareRun(arguments: arguments)
        // Without rows, an adapter still needs its columns.
        var adapted = try AdaptedLayout(of: self, adapter)
        try begin()
        if limit == nil, let held = try takeHeldRows(of: number) {
            lastRowCount = held.count
            let layout = try adapted.layout(of: self)
            // An adapter presents other columns, and another connection may know them by other names.
            return held.haveLayout(layout) ? held : held.map { Row($0, layout: layout) }
        }
        var rows: [Row] = []
        // Not for many: the space would be held as long as the rows are.
        rows.reserveCapacity(min(lastRowCount, limit ?? 64))
        try readRows(of: number) { row in
            rows.append(Row(layout: try adapted.layout(of: self), copying: row.cells))
            return limit.map { rows.count < $0 } ?? true
        }
        if limit == nil { lastRowCount = rows.count }
        return rows
    }

    /// Ends a run that returns rows from memory, and returns all of them. Returns `nil` for another run, if
    /// the last row that is read bounds the rows that matter, or if rows of associations will be added.
    private func takeHeldRows(of number: Int) throws -> [Row]? {
        guard run.bound == nil, prefetchedRegion == nil else { return nil }
        if run.isWriting { try runToEnd(holdsRows: true) }
        // An observer of the commit may have run the statement.
        guard number == run.number else { throw DatabaseError.runAgain(sql) }
        guard let rows = run.heldRows?.rows else { return nil }
        didReturnRows()
        return rows
    }

    /// Runs the statement, and returns the first value of its first row; `nil` without rows.
    @inlinable  // bench: decode-rows
    func firstValue<Value: StatementColumnConvertible>(
        arguments: StatementArguments?, adapter: (any RowAdapter)?
    ) throws -> Value? {
        var first: Value?
        try withFirstCell(arguments: arguments, adapter: adapter) { cell, column in
            guard let value = Value.fromCell(cell) else { throw mismatch(Value.self, cell, column: column) }
            first = value
        }
        return first
    }

    @usableFromInline
    func withFirstCell(
        arguments: StatementArguments?, adapter: (any RowAdapter)?, _ body: (StorageCell, Int) throws -> Void
    ) throws {
        let number = try prepareRun(arguments: arguments)
        if adapter != nil { _ = try valueColumn(adapter) }
        try begin()
        try readRows(of: number) { row in
            let column = try valueColumn(adapter)
            try body(row.cells[column], column)
            return false
        }
    }

    // MARK: - Values of one column

    /// Returns the index of the first column after adapting. Throws `SQLITE_MISUSE` without any.
    func valueColumn(_ adapter: (any RowAdapter)?) throws -> Int {
        guard let adapter else { return 0 }
        let layout = try layout(adapter)
        guard !layout.names.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the adapter selects no column to decode a value from",
                sql: sql)
        }
        return layout.position(of: 0)
    }

    /// Returns the error for a cell that cannot be converted to `type`.
    @usableFromInline
    func mismatch(_ type: Any.Type, _ cell: StorageCell, column: Int) -> any Error {
        RowDecodingError.valueMismatch(
            type, kind: cell.kind, context(DatabaseValue(copying: cell), column: column))
    }

    func context(_ value: DatabaseValue, column: Int) -> RowDecodingError.Context {
        RowDecodingError.Context(
            columnName: columnNames[column], columnIndex: column,
            value: publicStatementArguments ? value.description : nil, sql: sql,
            arguments: arguments, publicStatementArguments: publicStatementArguments)
    }
}

/// The layout of a statement's rows, as an adapter presents them. It is derived once, unless the first step
/// compiles the statement again.
private struct AdaptedLayout {
    private let adapter: (any RowAdapter)?
    private var known: (base: RowLayout, adapted: RowLayout)

    init(of statement: Statement, _ adapter: (any RowAdapter)?) throws {
        self.adapter = adapter
        let base = statement.layout
        known = (base, try adapter?._layout(from: base) ?? base)
    }

    mutating func layout(of statement: Statement) throws -> RowLayout {
        let base = statement.layout
        if base !== known.base { known = (base, try adapter?._layout(from: base) ?? base) }
        return known.adapted
    }
}

extension DatabaseError {
    /// The error of a run after another one of its statement has begun.
    static func runAgain(_ sql: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message:
                "the statement was executed again or received other arguments while its rows were read",
            sql: sql)
    }
}
