/// Something that can stand in SQL where a value is expected: a value, a column, a computation.
///
/// Every ``DatabaseValueConvertible`` type is one. The query interface adds columns and operators.
public protocol SQLExpressible {
    /// The SQL expression.
    var sqlExpression: SQLExpression { get }
}

/// A piece of SQL that has a value.
///
/// Opaque on purpose: the layer that writes SQL knows more kinds of expressions than this layer,
/// which only needs to let values take part.
public struct SQLExpression: Sendable {
    package enum Content: Sendable {
        /// A value, to be bound.
        case value(DatabaseValue)
        /// Something that the query interface knows how to write.
        case node(any SQLExpressionNode)
    }

    package let content: Content

    package init(_ content: Content) {
        self.content = content
    }
}

/// An expression other than a value. Layers that write SQL refine it with what they need to know.
package protocol SQLExpressionNode: Sendable {}

extension SQLExpressible where Self: RawRepresentable, RawValue: SQLExpressible {
    /// The expression of the raw value.
    public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
    /// The wrapped expression, or NULL.
    public var sqlExpression: SQLExpression {
        self?.sqlExpression ?? SQLExpression(.value(.null))
    }
}
