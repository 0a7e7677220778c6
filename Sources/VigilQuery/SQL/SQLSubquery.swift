public import VigilEngine

/// Something that is written as SQL, rather than bound as a value: a column, a computation, a subquery.
///
/// Operators that make SQL want one such operand, so that `1 == 2` stays a comparison in Swift.
public protocol SQLSpecificExpressible: SQLExpressible {}

extension SQLExpression: SQLSpecificExpressible {
    /// The expression itself.
    public var sqlExpression: SQLExpression { self }
}

/// A query that can stand inside another. Opaque.
public struct SQLSubquery: Sendable {
    package let content: any SQLFragment

    package init(_ content: any SQLFragment) {
        self.content = content
    }
}

/// Something that can stand inside a query as a subquery.
public protocol SQLSubqueryable: SQLSpecificExpressible {
    /// The subquery.
    var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
    /// The subquery in parentheses: its first value.
    public var sqlExpression: SQLExpression { SQLExpression(.node(sqlSubquery)) }
}

extension SQLSubquery: SQLSubqueryable {
    /// The subquery itself.
    public var sqlSubquery: SQLSubquery { self }
}

extension SQLSubquery: SQLFragment {
    /// Writes the subquery as an expression.
    package func write(to writer: inout SQLWriter) throws {
        writer.write("(")
        try content.write(to: &writer)
        writer.write(")")
    }
}
