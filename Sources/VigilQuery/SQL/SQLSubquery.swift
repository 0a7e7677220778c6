public import VigilEngine

/// A subquery, as an opaque value.
public struct SQLSubquery: Sendable {
    package let content: any SQLFragment

    package init(_ content: any SQLFragment) {
        self.content = content
    }
}

/// A type that can be used as a subquery, such as a request.
public protocol SQLSubqueryable: SQLSpecificExpressible {
    /// The subquery.
    var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
    /// The subquery in parentheses. Its value is the first column of its first row.
    public var sqlExpression: SQLExpression { SQLExpression(.subquery(sqlSubquery)) }
}

extension SQLSubquery: SQLSubqueryable {
    /// The subquery itself.
    public var sqlSubquery: SQLSubquery { self }
}

extension SQLSubquery: SQLFragment {
    /// Writes the subquery in parentheses, as an expression.
    package func write(to writer: inout SQLWriter) throws {
        writer.write("(")
        try content.write(to: &writer)
        writer.write(")")
    }
}
