public import VigilEngine

/// A piece of SQL, written as a string literal, along with its bound values.
///
/// Interpolations never paste text into the SQL: values are bound, and names are quoted.
///
/// ```swift
/// var query: SQL = "SELECT * FROM player WHERE name = \(name)"  // … WHERE name = ?
/// if let minimum {
///     query += " AND score >= \(minimum)"
/// }
/// let players = try SQLRequest<Row>(literal: query).fetchAll(db)
/// ```
///
/// See ``SQLInterpolation`` for the supported interpolations.
public struct SQL: Sendable {
    package enum Element: Sendable {
        /// SQL text, and the values of its parameters.
        case text(String, StatementArguments)
        case expression(SQLExpression)
        /// A node of the query interface. It writes its own SQL.
        case fragment(any SQLFragment)
    }

    package private(set) var elements: [Element]

    package init(elements: [Element]) {
        self.elements = elements
    }

    /// Creates a piece from SQL text and the values of its parameters.
    ///
    /// ```swift
    /// SQL(sql: "name = :name AND score > ?", arguments: ["name": "Arthur"] + [100])
    /// ```
    public init(sql: String, arguments: StatementArguments = StatementArguments()) {
        elements = [.text(sql, arguments)]
    }

    /// Creates a piece from an expression.
    public init(_ expression: some SQLSpecificExpressible) {
        elements = [.expression(expression.sqlExpression)]
    }

    /// Whether the piece contains no SQL.
    public var isEmpty: Bool {
        elements.allSatisfy { if case .text(let text, _) = $0 { text.isEmpty } else { false } }
    }

    /// Returns the SQL text, and the values of its parameters.
    ///
    /// ```swift
    /// let query: SQL = "UPDATE player SET name = \("O'Brien") WHERE id = \(42)"
    /// let (sql, arguments) = try query.build(db)
    /// // UPDATE player SET name = ? WHERE id = ?
    /// // ["O'Brien", 42]
    /// ```
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` if a named parameter has different values.
    public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        if elements.count == 1, case .text(let text, let arguments) = elements[0] { return (text, arguments) }
        return try build(db, withLiterals: false)
    }

    /// Returns the SQL text, and the values of its parameters, or the text with its values as literals.
    func build(_ db: Database, withLiterals writesLiterals: Bool) throws -> (
        sql: String, arguments: StatementArguments
    ) {
        var writer = SQLWriter(db, writesLiterals: writesLiterals)
        try write(to: &writer)
        try writer.checkLiterals()
        return (writer.sql, writer.arguments)
    }
}

extension SQL: SQLFragment {
    package func write(to writer: inout SQLWriter) throws {
        for element in elements {
            switch element {
            case .text(let text, let arguments): try writer.write(text, binding: arguments)
            case .expression(let expression): try writer.write(expression)
            case .fragment(let fragment): try fragment.write(to: &writer)
            }
        }
    }
}

// Concatenation
extension SQL {
    /// Returns the concatenation of two pieces.
    public static func + (a: SQL, b: SQL) -> SQL { SQL(elements: a.elements + b.elements) }

    /// Appends a piece.
    public static func += (a: inout SQL, b: SQL) { a.elements += b.elements }

    /// Appends a piece.
    public mutating func append(literal sqlLiteral: SQL) { self += sqlLiteral }

    /// Appends SQL text, and the values of its parameters.
    public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
        self += SQL(sql: sql, arguments: arguments)
    }
}

extension Sequence<SQL> {
    /// Returns the concatenation of the pieces, with a separator between them.
    ///
    /// ```swift
    /// let conditions: [SQL] = ["name = \(name)", "score > \(score)"]
    /// let query: SQL = "SELECT * FROM player WHERE \(conditions.joined(separator: " AND "))"
    /// ```
    public func joined(separator: String = "") -> SQL {
        var sql = SQL(elements: [])
        for (index, piece) in enumerated() {
            if index > 0, !separator.isEmpty { sql.append(sql: separator) }
            sql += piece
        }
        return sql
    }
}

extension SQL: ExpressibleByStringInterpolation {
    /// Creates a piece from a literal.
    public init(unicodeScalarLiteral: String) { self.init(sql: unicodeScalarLiteral) }
    /// Creates a piece from a literal.
    public init(extendedGraphemeClusterLiteral: String) { self.init(sql: extendedGraphemeClusterLiteral) }
    /// Creates a piece from a literal.
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }

    /// Creates a piece from a literal with interpolations.
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(elements: sqlInterpolation.elements)
    }
}

extension SQL: SQLSpecificExpressible {
    /// The piece as an expression. Its SQL is not wrapped in parentheses.
    public var sqlExpression: SQLExpression { SQLExpression(.literal(self)) }

    /// The piece as a selection, of any number of result columns.
    public var sqlSelection: SQLSelection { SQLSelection(.literal(self)) }

    /// The piece as an ordering, of any number of terms. It cannot be reversed.
    public var sqlOrdering: SQLOrdering { SQLOrdering(.literal(self)) }
}
