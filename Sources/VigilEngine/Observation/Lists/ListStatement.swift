import VigilLists
import VigilStorage

/// A statement whose rows begin with the columns of a request, and continue with hidden columns.
final class ListStatement {
    let statement: Statement
    /// The number of columns of the request.
    private let columnCount: Int
    private let width: Int
    /// The row that is decoded, which is the same object for all rows.
    private var row: Row?
    private var columnLookups: ColumnLookups?

    init(_ statement: Statement, _ plan: ResultPlan) {
        self.statement = statement
        columnCount = plan.columnCount
        width = plan.columnCount + plan.sources.count + plan.terms.count
    }

    deinit { row?.endReuse() }

    /// Runs the statement, and adds all rows that it returns.
    ///
    /// - Parameter append: decodes and adds a row and its hidden columns.
    func run(
        _ adapter: (any RowAdapter)?, _ append: ListRequest.Append, to rows: inout FetchedRows
    ) throws {
        let run = try RunningStatement(statement, arguments: nil)
        guard var cells = try run.step() else { return }
        let row = try row(adapter, cells)
        let columnLookups = columnLookups
        repeat {
            columnLookups?.restart()
            try append(row, cells + columnCount, &rows)
            guard let next = try run.step() else { break }
            cells = next
        } while true
        // An adapter may differ from run to run.
        if adapter != nil { endReuse() }
    }

    private func row(
        _ adapter: (any RowAdapter)?, _ cells: UnsafeMutablePointer<StorageCell>
    ) throws -> Row {
        guard statement.storage.row.count == width else { throw DatabaseError.listColumnsChanged }
        if let row, row.cells == cells, adapter == nil { return row }
        endReuse()
        // The columns of the request come first, so they keep their positions.
        let visible = RowLayout(names: Array(statement.columnNames.prefix(columnCount)), sql: statement.sql)
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
