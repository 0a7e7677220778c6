import VigilLists
import VigilStorage

/// A statement whose rows begin with the columns of a request, and contain the values that decide their
/// places.
final class KeyedStatement {
    let statement: Statement
    /// The number of columns of the request.
    private let columnCount: Int
    private let width: Int
    private let keyColumns: [Int]
    /// The values of the current row that decide its place.
    private let keyCells: UnsafeMutableBufferPointer<StorageCell>
    /// The row that is decoded, which is the same object for all rows.
    private var row: Row?
    private var columnLookups: ColumnLookups?

    init(_ statement: Statement, _ plan: ListPlan) {
        self.statement = statement
        columnCount = plan.columnCount
        width = plan.width
        keyColumns = plan.keyColumns
        keyCells = .allocate(capacity: keyColumns.count)
        keyCells.initialize(repeating: .null)
    }

    deinit {
        row?.endReuse()
        keyCells.deallocate()
    }

    /// Binds the values of the planned statement, and the number of rows to fetch for a window.
    ///
    /// - Returns: whether the list is a window.
    func bind(likeThoseOf planned: Statement, _ machine: borrowing ListMachine) throws -> Bool {
        guard machine.isWindow else {
            try statement.bind(likeThoseOf: planned)
            return false
        }
        // A negative number means all.
        try statement.bind(likeThoseOf: planned, and: (machine.fetchCount ?? -1).databaseValue)
        return true
    }

    /// Runs the statement, and adds all rows that it returns.
    ///
    /// - Parameter append: decodes a row, and adds it with the values that decide its place.
    func run(
        adapter: (any RowAdapter)?, append: ListRequest.Append, to rows: inout FetchedRows
    ) throws {
        let run = try RunningStatement(statement, arguments: nil)
        guard var cells = try run.step() else { return }
        let row = try row(adapter, cells)
        let columnLookups = columnLookups
        repeat {
            columnLookups?.restart()
            for (index, column) in keyColumns.enumerated() { keyCells[index] = cells[column] }
            try append(row, UnsafePointer(keyCells.baseAddress), &rows)
            guard let next = try run.step() else { break }
            cells = next
        } while true
        // An adapter may differ from run to run.
        if adapter != nil { endReuse() }
    }

    /// The number of rows after which their cost is compared with the limit.
    private static let costInterval = 256

    /// Looks up rows, whose other arguments must be bound. Stops when this has cost more than a limit.
    ///
    /// - Returns: the cost, and the number of row ids that were looked up.
    func lookUp(
        _ rowIDs: Set<Int64>, adapter: (any RowAdapter)?, costLimit: Int, append: ListRequest.Append,
        to rows: inout FetchedRows
    ) throws -> (total: Int, count: Int) {
        _ = statement.storage.resetWork()
        guard rowIDs.count > Self.costInterval else {
            for rowID in rowIDs { try lookUp(rowID, adapter: adapter, append: append, to: &rows) }
            return (statement.storage.resetWork() ?? 0, rowIDs.count)
        }
        var cost = 0
        // Neighbours are on the same pages.
        for (index, rowID) in rowIDs.sorted().enumerated() {
            if index > 0, index.isMultiple(of: Self.costInterval) {
                cost += statement.storage.resetWork() ?? 0
                if cost > costLimit { return (cost, index) }
            }
            try lookUp(rowID, adapter: adapter, append: append, to: &rows)
        }
        return (cost + (statement.storage.resetWork() ?? 0), rowIDs.count)
    }

    private func lookUp(
        _ rowID: Int64, adapter: (any RowAdapter)?, append: ListRequest.Append,
        to rows: inout FetchedRows
    ) throws {
        try statement.bindLast(rowID)
        try run(adapter: adapter, append: append, to: &rows)
    }

    private func row(
        _ adapter: (any RowAdapter)?, _ cells: UnsafeMutablePointer<StorageCell>
    ) throws -> Row {
        guard statement.storage.row.count == width else { throw DatabaseError.listColumnsChanged }
        if let row, row.cells == cells, adapter == nil { return row }
        endReuse()
        // The columns of the request come first, so they keep their positions.
        let visible = RowLayout(
            names: Array(statement.columnNames.prefix(columnCount)), sql: statement.sql,
            showsValues: statement.publicStatementArguments)
        let layout = try adapter?._layout(from: visible) ?? visible
        let lookups = ColumnLookups(layout, of: statement.database)
        let row = Row(currentOf: statement, layout: layout, lookups)
        (self.row, columnLookups) = (row, lookups)
        return row
    }

    private func endReuse() {
        row?.endReuse()
        (row, columnLookups) = (nil, nil)
    }
}

extension DatabaseError {
    fileprivate static var listColumnsChanged: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message: "the columns of an observed list changed while it was fetched")
    }
}
