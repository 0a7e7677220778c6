public import VigilRegions
public import VigilStorage

/// A cursor over the results of a statement.
public protocol DatabaseCursor<Element>: Cursor {
    /// The statement of the cursor. Do not run it yourself.
    var _statement: Statement { get }
}

extension DatabaseCursor {
    /// The SQL of the statement.
    public var sql: String { _statement.sql }

    /// The values of the statement's parameters.
    public var arguments: StatementArguments { _statement.arguments }

    /// The names of the statement's columns.
    public var columnNames: [String] { _statement.columnNames }

    /// The number of the statement's columns.
    public var columnCount: Int { _statement.columnCount }

    /// The region read by the statement.
    public var databaseRegion: DatabaseRegion { _statement.databaseRegion }
}

/// One run of a statement. It begins with the first step, and ends after the last row, or on
/// deinitialization.
@usableFromInline
final class RunningStatement {
    private enum Phase { case prepared, running, over, failed }

    let statement: Statement
    private let number: Int
    private var phase = Phase.prepared
    /// The error of a failed run, which every later step throws again.
    private var failure: (any Error)?
    private var row: StorageRow?
    private var cells: UnsafeMutablePointer<StorageCell>?
    /// The adapter that selects the column of a cursor over values.
    private let adapter: (any RowAdapter)?
    /// The index of the first cell that ``step()`` returns.
    @usableFromInline private(set) var column = 0

    /// - Parameter adapter: selects the column of a cursor over values. It is the first cell of ``step()``.
    /// - Throws: an error of the arguments or the adapter; `SQLITE_MISUSE` if the adapter selects no column.
    init(
        _ statement: Statement, arguments: StatementArguments?, valueOf adapter: (any RowAdapter)? = nil
    ) throws {
        self.statement = statement
        self.adapter = adapter
        number = try statement.prepareRun(arguments: arguments)
        column = try statement.valueColumn(adapter)
    }

    deinit {
        guard phase == .running else { return }
        if statement.database.isHeldByCaller {
            statement.abandon(run: number)
        } else {
            statement.database.statementFinalizer.abandon(statement, run: number)
        }
    }

    /// Returns the cells of the next row, or `nil` after the last one.
    ///
    /// - Throws: `DatabaseError` if the statement fails, or if it was run again while this run was not
    ///   finished.
    @usableFromInline
    func step() throws -> UnsafeMutablePointer<StorageCell>? {
        guard phase == .running else { return try stepOutsideOfRun() }
        guard number == statement.run.number else { throw fail(DatabaseError.runAgain(statement.sql)) }
        return try hasNext() ? cells : nil
    }

    private func stepOutsideOfRun() throws -> UnsafeMutablePointer<StorageCell>? {
        if let failure { throw failure }
        return phase == .over ? nil : try firstStep()
    }

    private func firstStep() throws -> UnsafeMutablePointer<StorageCell>? {
        guard number == statement.run.number else { throw fail(DatabaseError.runAgain(statement.sql)) }
        do {
            try statement.begin()
        } catch {
            throw fail(error)
        }
        phase = .running
        guard try hasNext() else { return nil }
        // Not earlier: if the schema has changed, the statement is compiled again by its first step.
        row = statement.storage.row
        do {
            column = try statement.valueColumn(adapter)
        } catch {
            statement.abandon(run: number)
            throw fail(error)
        }
        cells = statement.storage.row.cells + column
        return cells
    }

    private func hasNext() throws -> Bool {
        do {
            if try statement.step() { return true }
        } catch {
            throw fail(error)
        }
        phase = .over
        return false
    }

    private func fail(_ error: any Error) -> any Error {
        phase = .failed
        failure = error
        return error
    }

    /// Returns the error for a cell that cannot be converted to `type`.
    @usableFromInline
    func mismatch(_ type: Any.Type, cell: StorageCell) -> any Error {
        statement.mismatch(type, cell, column: column)
    }

    func context(_ value: DatabaseValue) -> RowDecodingError.Context {
        statement.context(value, column: column)
    }
}
