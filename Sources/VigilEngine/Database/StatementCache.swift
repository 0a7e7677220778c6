import VigilStorage

/// The compiled statements that a connection caches by their SQL. When the cache is full, the oldest one is
/// removed.
struct StatementCache {
    private static let limit = 100
    private var statements: [ExactString: Statement] = [:]
    private var order: [ExactString] = []
    /// The last statement that was found. The same statement is often requested several times in a row, and
    /// is then found without hashing.
    private var latest: (sql: String, statement: Statement)?

    mutating func find(_ sql: String) -> Statement? {
        if let latest, latest.sql.isIdentical(to: sql) { return latest.statement }
        guard let statement = statements[ExactString(sql)] else { return nil }
        latest = (sql, statement)
        return statement
    }

    mutating func insert(_ statement: Statement, for sql: String) {
        let key = ExactString(sql)
        if statements.updateValue(statement, forKey: key) == nil { order.append(key) }
        if order.count > Self.limit { statements[order.removeFirst()] = nil }
        latest = (sql, statement)
    }

    mutating func removeAll() {
        statements.removeAll()
        order.removeAll()
        latest = nil
    }
}
