import VigilStorage

/// The compiled statements that a connection caches by their SQL. When the cache is full, the oldest one is
/// removed.
struct StatementCache {
    private static let limit = 100
    private var statements: [ExactString: Statement] = [:]
    private var order: [ExactString] = []
    /// The position of the last statement that was found. The same statement is often requested several times in
    /// a row, and is then found without hashing.
    private var latest: (sql: String, index: Dictionary<ExactString, Statement>.Index)?

    mutating func find(_ sql: String) -> Statement? {
        index(of: sql).map { statements.values[$0] }
    }

    /// Returns a statement that only the cache refers to, whose arguments can therefore be replaced.
    mutating func findUnused(_ sql: String) -> Statement? {
        guard let index = index(of: sql), isKnownUniquelyReferenced(&statements.values[index]) else {
            return nil
        }
        return statements.values[index]
    }

    private mutating func index(of sql: String) -> Dictionary<ExactString, Statement>.Index? {
        if let latest, latest.sql.isIdentical(to: sql) { return latest.index }
        guard let index = statements.index(forKey: ExactString(sql)) else { return nil }
        latest = (sql, index)
        return index
    }

    mutating func insert(_ statement: Statement, for sql: String) {
        let key = ExactString(sql)
        if statements.updateValue(statement, forKey: key) == nil { order.append(key) }
        if order.count > Self.limit { statements[order.removeFirst()] = nil }
        latest = nil
    }

    mutating func removeAll() {
        statements.removeAll()
        order.removeAll()
        latest = nil
    }
}
