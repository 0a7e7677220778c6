/// A cursor over rows. The same ``Row`` is returned each time: copy what must last longer.
public final class RowCursor: DatabaseCursor {
    private let run: RunningStatement
    private let adapter: (any RowAdapter)?
    private var row: Row

    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        run = try RunningStatement(statement, arguments: arguments)
        self.adapter = adapter
        row = Row(currentOf: statement, layout: try statement.layout(adapter))
    }

    public var _statement: Statement { run.statement }

    public func next() throws -> Row? {
        guard let cells = try run.step() else { return nil }
        if row.cells != cells {
            row = Row(currentOf: run.statement, layout: try run.statement.layout(adapter))
        }
        return row
    }
}
