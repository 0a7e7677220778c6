public import VigilEngine

/// The interpolations in string literals of ``SQL`` and ``SQLRequest``.
///
/// | interpolation | SQL |
/// |---|---|
/// | `\(value)` | `?`, and the value is bound; `NULL` for `nil` |
/// | `IN \(values)` | `IN (?,?,?)`; for an empty sequence, a subquery without rows |
/// | `\(CodingKeys.name)` | `"name"` |
/// | `\(identifier: name)` | `"name"` |
/// | `(\(request))` | the SQL of the request, as a subquery |
/// | `\(piece)`, `\(literal: "score > \(minimum)")` | the SQL of the piece |
/// | `\(sql: text, arguments: [1])` | the text, unchanged |
///
/// You do not create interpolations yourself:
///
/// ```swift
/// let query: SQL = "SELECT * FROM player WHERE id IN \(ids) AND name = \(name)"
/// ```
public struct SQLInterpolation: StringInterpolationProtocol {
    package var elements: [SQL.Element] = []

    /// Creates an interpolation with reserved capacity.
    public init(literalCapacity: Int, interpolationCount: Int) {
        elements.reserveCapacity(interpolationCount * 2 + 1)
    }

    /// Appends the text between interpolations, unchanged.
    public mutating func appendLiteral(_ sql: String) {
        if !sql.isEmpty { elements.append(.text(sql, StatementArguments())) }
    }

    // MARK: - SQL

    /// Appends SQL text, and the values of its parameters.
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

    /// Appends a quoted name.
    public mutating func appendInterpolation(identifier: String) {
        appendLiteral(identifier.quotedDatabaseIdentifier)
    }

    /// Appends the quoted table name of a record type.
    public mutating func appendInterpolation(_ table: (some TableRecord).Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// Appends a coding key as a quoted column name.
    public mutating func appendInterpolation(_ key: some CodingKey) {
        appendInterpolation(identifier: key.stringValue)
    }

    /// Appends a coding key as a quoted column name, even if it could be bound as a value.
    public mutating func appendInterpolation(_ key: some CodingKey & SQLExpressible) {
        appendInterpolation(identifier: key.stringValue)
    }

    /// Appends a coding key as a quoted column name.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ key: any CodingKey) {
        appendInterpolation(identifier: key.stringValue)
    }

    // MARK: - Values and expressions

    /// Binds a string.
    public mutating func appendInterpolation<S: StringProtocol>(_ string: S) {
        elements.append(.expression(String(string).sqlExpression))
    }

    /// Binds a value, or appends an expression. Appends `NULL` for `nil`.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ expressible: (any SQLExpressible)?) {
        elements.append(.expression(SQLExpression(orNull: expressible)))
    }

    /// Binds a value, even if it is also a sequence of values, such as `Data`.
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

    /// Rejects an endless range as a list: preparing the SQL fails. Use `\((20...).contains(Column("age")))`
    /// instead of `age IN \(20...)`.
    public mutating func appendInterpolation<Bound>(_ range: PartialRangeFrom<Bound>)
    where Bound: SQLExpressible & Strideable, Bound.Stride: SignedInteger {
        elements.append(.fragment(EndlessList()))
    }

    private mutating func append(_ expressions: [SQLExpression]) {
        // Only SQLite accepts `IN ()`; it is not standard SQL.
        guard !expressions.isEmpty else { return appendLiteral("(SELECT NULL WHERE NULL)") }
        for (index, expression) in expressions.enumerated() {
            appendLiteral(index == 0 ? "(" : ",")
            elements.append(.expression(expression))
        }
        appendLiteral(")")
    }
}

/// The values of an endless range.
private struct EndlessList: SQLFragment {
    func write(to writer: inout SQLWriter) throws {
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "an endless range cannot be a list of values: use (20...).contains(Column(\"age\"))",
            sql: writer.sql)
    }
}
