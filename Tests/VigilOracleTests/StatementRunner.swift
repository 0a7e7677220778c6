import Synchronization
import Vigil
import VigilRandomSQL
import VigilTesting

/// Runs random statements on a writer, with the functions that they call.
final class StatementRunner: Sendable {
    private let writer: any DatabaseWriter
    /// How often a function was called in the current statement.
    private let calls = Mutex(0)

    init(_ writer: any DatabaseWriter) {
        self.writer = writer
        writer.writeWithoutTransaction { db in
            // Functions run on the connection that they are added to.
            nonisolated(unsafe) let unsafeDB = db
            db.add(
                function: DatabaseFunction("nested", argumentCount: 1) { [unowned self] arguments in
                    // One that adds rows to those that the statement goes through would be called for ever.
                    guard numberOfCall() <= 3, let sql = String.fromDatabaseValue(arguments[0]) else {
                        return nil
                    }
                    return (try? unsafeDB.execute(sql: sql)) == nil ? nil : 1
                })
            db.add(
                function: DatabaseFunction("stop", argumentCount: 1) { [unowned self] arguments in
                    if isCall(arguments[0]) { self.writer.interrupt() }
                    return 1
                })
            db.add(
                function: DatabaseFunction("refuse", argumentCount: 1) { [unowned self] arguments in
                    if isCall(arguments[0]) { throw DatabaseError(message: "no") }
                    return 1
                })
        }
    }

    private func numberOfCall() -> Int {
        calls.withLock {
            $0 += 1
            return $0
        }
    }

    /// Whether this call is the one that a function was told of.
    private func isCall(_ number: DatabaseValue) -> Bool {
        Int.fromDatabaseValue(number) == numberOfCall()
    }

    /// Runs all statements, whichever fail, and ends the transaction.
    ///
    /// - Returns: what was done, for whoever has to do it again.
    func run(_ unit: [RandomWrites.Statement]) -> [String] {
        writer.writeWithoutTransaction { db in
            var done: [String] = []
            var open: [RowCursor] = []
            func run(_ statement: RandomWrites.Statement) {
                calls.withLock { $0 = 0 }
                do {
                    if let cursor = try self.run(statement, db) { open.append(cursor) }
                    done.append("\(statement)")
                } catch {
                    done.append("\(statement) -- failed: \((error as? DatabaseError)?.message ?? "\(error)")")
                }
            }
            unit.forEach(run)
            open.removeAll()
            if db.isInsideTransaction { run(.init(sql: "COMMIT")) }
            if db.isInsideTransaction { run(.init(sql: "ROLLBACK")) }
            return done
        }
    }

    /// - Returns: the rows of a statement that is left open.
    private func run(_ statement: RandomWrites.Statement, _ db: Database) throws -> RowCursor? {
        let arguments = StatementArguments(statement.values.map { DatabaseValue($0) })
        let rowCount: Int
        switch statement.extent {
        case .whole:
            try db.execute(sql: statement.sql, arguments: arguments)
            return nil
        case .rows(let count): rowCount = count
        case .leftOpen: rowCount = 1
        }
        let cursor = try Row.fetchCursor(db, sql: statement.sql, arguments: arguments)
        for _ in 0..<rowCount where try cursor.next() == nil { return nil }
        return statement.extent == .leftOpen ? cursor : nil
    }
}
