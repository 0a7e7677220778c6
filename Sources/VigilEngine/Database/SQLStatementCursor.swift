/// A cursor over the statements of an SQL text, created by ``Database/allStatements(sql:arguments:)``.
///
/// ```swift
/// let statements = try db.allStatements(sql: script)
/// while let statement = try statements.next() {
///     try statement.execute()
/// }
/// ```
public final class SQLStatementCursor: Cursor {
    private let database: Database
    private let sql: String
    /// Whether the statements are likely to be kept.
    private let isCached: Bool
    private var offset = 0
    private var arguments: StatementArguments?
    private let valueCount: Int
    private var statementCount = 0

    /// Whether the cursor has returned one statement, and nothing but white space and semicolons follows it.
    var hasReturnedWholeText: Bool {
        statementCount == 1
            && sql.utf8.dropFirst(offset).allSatisfy { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ";") }
    }

    init(database: Database, sql: String, arguments: StatementArguments?, isCached: Bool = false) {
        self.database = database
        self.isCached = isCached
        self.sql = sql
        self.arguments = arguments
        valueCount = arguments?.values.count ?? 0
    }

    /// Compiles and returns the next statement, with its arguments; `nil` after the last one.
    ///
    /// - Throws: `DatabaseError` if it does not compile, or if arguments are missing or remain at the end.
    public func next() throws -> Statement? {
        guard let statement = try database.nextStatement(sql, &offset, isCached: isCached) else {
            try checkThatNoArgumentsRemain()
            return nil
        }
        statementCount += 1
        if var rest = arguments {
            try statement.takeArguments(from: &rest)
            arguments = rest
        }
        return statement
    }

    /// Throws `SQLITE_MISUSE` if arguments remain after the last statement. The error contains the SQL only
    /// if it is a single statement: none of several statements has failed.
    func checkThatNoArgumentsRemain() throws {
        guard let remaining = arguments?.values.count, remaining > 0 else { return }
        throw DatabaseError.wrongArgumentCount(
            valueCount, needed: valueCount - remaining, sql: hasReturnedWholeText ? sql : nil)
    }
}
