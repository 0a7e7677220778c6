public import VigilEngine

/// What a string literal of ``SQL`` or ``SQLRequest`` is made of.
///
/// | interpolation | SQL |
/// |---|---|
/// | `\(value)` | `?`, and the value is bound; `NULL` for `nil` |
/// | `IN \(values)` | `IN (?,?,?)`; an empty sequence is an empty subquery, for `IN` and `NOT IN` |
/// | `\(CodingKeys.name)` | `"name"` |
/// | `\(identifier: name)` | `"name"` |
/// | `(\(request))` | the SQL of the request: a subquery |
/// | `\(piece)`, `\(literal: "score > \(minimum)")` | the SQL of the piece |
/// | `\(sql: text, arguments: [1])` | the text as it is |
public struct SQLInterpolation: StringInterpolationProtocol {
    package var elements: [SQL.Element] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
        elements.reserveCapacity(interpolationCount * 2 + 1)
    }

    public mutating func appendLiteral(_ sql: String) {
        if !sql.isEmpty { elements.append(.text(sql, StatementArguments())) }
    }

    // MARK: - SQL

    /// Appends SQL as it is, with the values of its parameters.
    public mutating func appendInterpolation(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) {
        elements.append(.text(sql, arguments))
    }

    /// Appends a piece of SQL.
    public mutating func appendInterpolation(_ sqlLiteral: SQL) {
        elements += sqlLiteral.elements
    }

    /// Appends a piece of SQL.
    public mutating func appendInterpolation(literal sqlLiteral: SQL) {
        elements += sqlLiteral.elements
    }

    /// Appends the SQL of a request, without parentheses.
    public mutating func appendInterpolation(_ subquery: some SQLSubqueryable) {
        elements.append(.fragment(subquery.sqlSubquery.content))
    }

    // MARK: - Names

    /// Appends a name, quoted.
    public mutating func appendInterpolation(identifier: String) {
        appendLiteral(identifier.quotedDatabaseIdentifier)
    }

    /// Appends the name of the table of a record type, quoted.
    public mutating func appendInterpolation(_ table: (some TableRecord).Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// Appends the name of a coding key, which is that of a column.
    public mutating func appendInterpolation(_ key: some CodingKey) {
        appendInterpolation(identifier: key.stringValue)
    }

    /// Appends the name of a coding key, which is that of a column, although it could be a value too.
    public mutating func appendInterpolation(_ key: some CodingKey & SQLExpressible) {
        appendInterpolation(identifier: key.stringValue)
    }

    /// Appends the name of a coding key, which is that of a column.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ key: any CodingKey) {
        appendInterpolation(identifier: key.stringValue)
    }

    // MARK: - Values and expressions

    /// Binds a text.
    public mutating func appendInterpolation<S: StringProtocol>(_ string: S) {
        elements.append(.expression(String(string).sqlExpression))
    }

    /// Binds a value, or appends an expression; `NULL` for `nil`.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ expressible: (any SQLExpressible)?) {
        elements.append(.expression(expressible?.sqlExpression ?? SQLExpression(.value(.null))))
    }

    /// Binds a value that is a sequence of values too, such as `Data`.
    public mutating func appendInterpolation<S>(_ expressible: S)
    where S: SQLExpressible, S: Sequence, S.Element: SQLExpressible {
        elements.append(.expression(expressible.sqlExpression))
    }

    /// Appends values or expressions in parentheses, for `IN` and `NOT IN`.
    public mutating func appendInterpolation(_ sequence: some Sequence<some SQLExpressible>) {
        append(sequence.map(\.sqlExpression))
    }

    /// Appends values or expressions in parentheses, for `IN` and `NOT IN`.
    public mutating func appendInterpolation(_ sequence: some Sequence<any SQLExpressible>) {
        append(sequence.map(\.sqlExpression))
    }

    private mutating func append(_ expressions: [SQLExpression]) {
        // `IN ()` is not SQL, only SQLite's.
        guard !expressions.isEmpty else { return appendLiteral("(SELECT NULL WHERE NULL)") }
        for (index, expression) in expressions.enumerated() {
            appendLiteral(index == 0 ? "(" : ",")
            elements.append(.expression(expression))
        }
        appendLiteral(")")
    }
}
