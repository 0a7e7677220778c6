import Synchronization
import Vigil
import VigilRandomSQL
import VigilTesting

/// Runs random statements on a writer, and provides the functions that they call.
final class StatementRunner: Sendable {
    private let writer: any DatabaseWriter
    /// The number of function calls in the current statement.
    private let calls = Mutex(0)
    /// The first unexpected behavior of a write, if any.
    private let finding = Mutex<String?>(nil)

    init(_ writer: any DatabaseWriter) {
        self.writer = writer
        writer.writeWithoutTransaction { db in
            // Guard: functions only run on the connection that they are added to.
            nonisolated(unsafe) let unsafeDB = db
            db.add(
                function: DatabaseFunction("nested", argumentCount: 1) { [unowned self] arguments in
                    // Without a limit, a call that inserts rows into the scanned table would never end.
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

    /// Counts a call, and returns whether it has the given number.
    private func isCall(_ number: DatabaseValue) -> Bool {
        Int.fromDatabaseValue(number) == numberOfCall()
    }

    /// Runs all statements, even after failures, and ends the transaction.
    ///
    /// - Returns: The executed statements, for reproducing a failure.
    func run(_ unit: [RandomWrites.Statement]) -> [String] {
        writer.writeWithoutTransaction { db in
            var done: [String] = []
            var open: [RowCursor] = []
            var ends: [TransactionEnd] = []
            func run(_ statement: RandomWrites.Statement) {
                calls.withLock { $0 = 0 }
                let end = end(of: statement, db)
                do {
                    let (cursor, hasRow) = try self.run(statement, db)
                    if let cursor { open.append(cursor) }
                    if hasRow, let end { ends.append(end) }
                    done.append("\(statement)")
                } catch {
                    done.append("\(statement) -- failed: \((error as? DatabaseError)?.message ?? "\(error)")")
                }
            }
            unit.forEach(run)
            open.removeAll()
            ends.forEach { $0.check(self) }
            if db.isInsideTransaction { run(.init(sql: "COMMIT")) }
            if db.isInsideTransaction { run(.init(sql: "ROLLBACK")) }
            return done
        }
    }

    // MARK: - Findings

    func find(_ text: String) { finding.withLock { $0 = $0 ?? text } }

    func takeFinding() -> String? {
        finding.withLock { finding in
            defer { finding = nil }
            return finding
        }
    }

    /// Observes the end of the transaction of a statement that is not read to the end.
    private func end(of statement: RandomWrites.Statement, _ db: Database) -> TransactionEnd? {
        guard !db.isInsideTransaction, statement.extent != .whole, !statement.sql.hasPrefix("SELECT") else {
            return nil
        }
        let end = TransactionEnd(statement.sql)
        db.afterNextTransaction(onCommit: { _ in end.didCommit() })
        return end
    }

    // MARK: - Blocks

    /// Runs all statements in one `write` block that ignores their errors.
    ///
    /// - Returns: The executed statements, and whether the `write` threw.
    func runBlock(_ unit: [RandomWrites.Statement]) -> (done: [String], isRefused: Bool) {
        var done = ["write {"]
        var isAborted = false
        do {
            try writer.write { db in
                for statement in unit {
                    calls.withLock { $0 = 0 }
                    do {
                        try db.execute(sql: statement.sql)
                        if isAborted { find("a statement ran after its transaction was aborted") }
                        done.append("\(statement)")
                    } catch {
                        done.append("\(statement) -- failed: \(error)")
                    }
                    isAborted = isAborted || !db.isInsideTransaction
                }
            }
            if isAborted { find("a write whose transaction was aborted did not throw") }
            return (done + ["}"], false)
        } catch {
            return (done + ["} -- failed: \(error)"], true)
        }
    }

    /// Runs a statement.
    ///
    /// - Returns: The cursor of a statement that is left open, and whether the statement returned a row.
    private func run(
        _ statement: RandomWrites.Statement, _ db: Database
    ) throws -> (RowCursor?, hasRow: Bool) {
        let arguments = StatementArguments(statement.values.map { DatabaseValue($0) })
        let rowCount: Int
        switch statement.extent {
        case .whole:
            try db.execute(sql: statement.sql, arguments: arguments)
            return (nil, false)
        case .rows(let count): rowCount = count
        case .leftOpen: rowCount = 1
        }
        let cursor = try Row.fetchCursor(db, sql: statement.sql, arguments: arguments)
        for number in 0..<rowCount where try cursor.next() == nil { return (nil, number > 0) }
        return (statement.extent == .leftOpen ? cursor : nil, true)
    }
}

/// Records whether the transaction of one statement was committed.
private final class TransactionEnd: Sendable {
    private let sql: String
    private let isCommitted = Mutex(false)

    init(_ sql: String) {
        self.sql = sql
    }

    func didCommit() { isCommitted.withLock { $0 = true } }

    /// Reports a finding unless the transaction was committed. Call this after a statement that returned a
    /// row and did not throw.
    func check(_ runner: StatementRunner) {
        if !isCommitted.withLock({ $0 }) { runner.find("it returned a row, but was not committed: \(sql)") }
    }
}
