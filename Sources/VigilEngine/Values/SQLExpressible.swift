/// A type that can be used where SQL expects a value: a value, a column, an operation.
///
/// Every ``DatabaseValueConvertible`` type conforms. The query interface adds columns and operators.
public protocol SQLExpressible {
    /// The SQL expression.
    var sqlExpression: SQLExpression { get }
}

/// An SQL expression: a value, or a node that generates SQL.
///
/// It is opaque, because this layer only knows values. The layer that generates SQL defines the other kinds
/// of expressions.
public struct SQLExpression: Sendable {
    package enum Content: Sendable {
        /// A bound value.
        case value(DatabaseValue)
        /// A node that generates SQL, of the only type in the layer above. It is an object, so that an
        /// expression is small enough to be stored in an existential value without an allocation.
        case node(any AnyObject & Sendable)
    }

    package let content: Content

    package init(_ content: Content) {
        self.content = content
    }
}

extension SQLExpressible where Self: RawRepresentable, RawValue: SQLExpressible {
    /// The expression of the raw value.
    public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
    /// The wrapped expression; NULL for `nil`.
    public var sqlExpression: SQLExpression {
        self?.sqlExpression ?? SQLExpression(.value(.null))
    }
}
