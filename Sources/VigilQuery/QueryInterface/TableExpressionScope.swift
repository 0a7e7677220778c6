import VigilEngine
import VigilStorage

/// The common table expressions in the scope of a query. Their names hide tables and views of the same name.
///
/// The connection keeps the scope while the query is resolved and written.
final class TableExpressionScope {
    private let expressions: [TableExpression]
    /// The name of a common table expression without definition in the query.
    private let undefinedName: String?
    private let outer: TableExpressionScope?

    fileprivate init(_ expressions: [TableExpression], undefinedName: String?, outer: TableExpressionScope?) {
        self.expressions = expressions
        self.undefinedName = undefinedName
        self.outer = outer
    }

    /// Returns the table expression with a name; `nil` if the name denotes a table or view.
    func table(named name: String, _ db: Database) -> QueryTable? {
        var scope: TableExpressionScope? = self
        while let current = scope {
            if let expression = current.expressions.first(where: { $0.name.isSameName(as: name) }) {
                return QueryTable(tableExpression: name) { try current.columns(of: expression, db) }
            }
            if current.undefinedName?.isSameName(as: name) == true {
                return QueryTable(tableExpression: name) { throw DatabaseError.noSuchTable(name) }
            }
            scope = current.outer
        }
        return nil
    }

    /// Returns the columns of an expression, named by its definition or else by its query.
    private func columns(of expression: TableExpression, _ db: Database) throws -> [String] {
        if let columns = expression.columns, !columns.isEmpty { return columns }
        var query = Query(table: expression.name)
        query.tableExpressions = visibleExpressions
        query.limit = .init(count: 0)
        let built = try query.build(db)
        return try db.withoutRecording {
            let statement = try db.makeStatement(sql: built.sql)
            try statement.setArguments(built.arguments)
            return statement.columnNames
        }
    }

    /// The expressions of this scope, and the visible ones of outer scopes.
    private var visibleExpressions: [TableExpression] {
        let hidden = outer?.visibleExpressions.filter { other in
            !expressions.contains { $0.name.isSameName(as: other.name) }
        }
        return (hidden ?? []) + expressions
    }
}

extension Database {
    /// The common table expressions of the query being resolved or written.
    fileprivate var tableExpressionScope: TableExpressionScope? {
        get { requestScope as? TableExpressionScope }
        set { requestScope = newValue }
    }

    /// Returns the common table expression with a name; `nil` if the name denotes a table or view.
    func tableExpression(named name: String) -> QueryTable? {
        guard let scope = tableExpressionScope else { return nil }
        return scope.table(named: name, self)
    }

    /// Runs `body` with common table expressions added to the scope.
    ///
    /// - Parameter undefinedName: The name of an expression read by the query, perhaps defined outside.
    func withTableExpressions<T>(
        _ expressions: [TableExpression], undefinedName: String?, _ body: () throws -> T
    ) rethrows -> T {
        let outer = tableExpressionScope
        let name = undefinedName.flatMap { tableExpression(named: $0) == nil ? $0 : nil }
        guard !expressions.isEmpty || name != nil else { return try body() }
        tableExpressionScope = TableExpressionScope(expressions, undefinedName: name, outer: outer)
        defer { tableExpressionScope = outer }
        return try body()
    }
}
