/// The statements of a text with several; see ``Database/allStatements(sql:arguments:)``.
public final class SQLStatementCursor: Cursor {
    private let database: Database
    private let sql: String
    private var offset = 0
    private var arguments: StatementArguments?
    private let valueCount: Int

    init(database: Database, sql: String, arguments: StatementArguments?) {
        self.database = database
        self.sql = sql
        self.arguments = arguments
        valueCount = arguments?.values.count ?? 0
    }

    /// The next statement, with its arguments.
    ///
    /// - Throws: `DatabaseError` if it does not compile, or if arguments are missing; after the last statement, if
    ///   arguments are left.
    public func next() throws -> Statement? {
        guard let statement = try database.nextStatement(sql, &offset) else {
            guard arguments?.values.isEmpty ?? true else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "wrong number of statement arguments: \(valueCount)",
                    sql: sql)
            }
            return nil
        }
        if var rest = arguments {
            try statement.takeArguments(from: &rest)
            arguments = rest
        }
        return statement
    }
}
