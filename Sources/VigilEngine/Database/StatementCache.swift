/// The statements that a connection keeps, compiled, by their text. The oldest makes room.
struct StatementCache {
    private static let limit = 100
    private var statements: [String: Statement] = [:]
    private var order: [String] = []

    subscript(sql: String) -> Statement? {
        get { statements[sql] }
        set {
            if statements[sql] == nil { order.append(sql) }
            statements[sql] = newValue
            if order.count > Self.limit { statements[order.removeFirst()] = nil }
        }
    }

    mutating func removeAll() {
        statements.removeAll()
        order.removeAll()
    }
}
