import VigilStorage

/// A lazy sequence that reads from the database as it goes.
public protocol Cursor<Element>: AnyObject {
    associatedtype Element

    /// The next element; `nil` after the last.
    func next() throws -> Element?
}

extension Cursor {
    /// Calls `body` with each element.
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }
}

/// A cursor over the rows of a statement.
public protocol DatabaseCursor<Element>: Cursor {
    /// The names of the columns.
    var columnNames: [String] { get }
}

/// One run of a statement, from its first row to its last, or until it is released.
final class RunningStatement {
    let statement: Statement
    private let number: Int
    private(set) var isOver = false

    init(_ statement: Statement) throws {
        self.statement = statement
        try statement.begin()
        number = statement.runCount
    }

    deinit {
        if !isOver { statement.abandon(run: number) }
    }

    /// Whether there is another row, in the statement's storage.
    func step() throws -> Bool {
        guard !isOver else { return false }
        guard number == statement.runCount else {
            isOver = true
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the statement was run again while its rows were read",
                sql: statement.sql)
        }
        do {
            if try statement.step() { return true }
        } catch {
            isOver = true
            throw error
        }
        isOver = true
        return false
    }
}

/// A cursor over rows. The same `Row` is returned each time: copy what must last longer.
public final class RowCursor: DatabaseCursor {
    private let run: RunningStatement
    /// Made at the first step: until then the library may compile the statement anew, with other columns, because
    /// somebody else altered a table.
    private var row: Row?

    init(_ statement: Statement) throws {
        run = try RunningStatement(statement)
    }

    public var columnNames: [String] { run.statement.columnNames }

    public func next() throws -> Row? {
        guard try run.step() else { return nil }
        if row == nil { row = Row(current: run.statement.storage) }
        return row
    }
}

/// A cursor over the values of the first column.
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: DatabaseCursor {
    private let run: RunningStatement
    private let decode: (StorageCell) -> Value?

    init(_ statement: Statement, decode: @escaping (StorageCell) -> Value?) throws {
        run = try RunningStatement(statement)
        self.decode = decode
    }

    public var columnNames: [String] { run.statement.columnNames }

    public func next() throws -> Value? {
        guard try run.step() else { return nil }
        let row = run.statement.storage.row
        guard row.count > 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the statement returns no columns",
                sql: run.statement.sql)
        }
        guard let value = decode(row[0]) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH,
                message: "could not decode \(Value.self) from column 0 (\(columnNames[0]))",
                sql: run.statement.sql)
        }
        return value
    }
}
