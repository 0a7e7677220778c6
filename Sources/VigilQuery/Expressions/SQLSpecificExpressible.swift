public import VigilEngine

/// A type that is written as SQL instead of being bound as a value: a column, an operation, a subquery.
///
/// Operators that generate SQL require one such operand, so that `1 == 2` remains a Swift comparison.
///
/// ```swift
/// let isStrong = Column("score") > 1000          // SQL
/// let request = Player.filter(isStrong).select(Column("name")).order(Column("score").desc)
/// ```
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
    /// The selection of the expression, as one result column.
    public var sqlSelection: SQLSelection { SQLSelection(.expression(sqlExpression)) }

    /// The expression as an ordering term without a direction, which the database sorts in ascending order.
    public var sqlOrdering: SQLOrdering { SQLOrdering(.expression(sqlExpression, .unspecified)) }
}

extension SQLExpression: SQLSpecificExpressible {
    /// The expression itself.
    public var sqlExpression: SQLExpression { self }
}

// A `DatabaseValue` can be an operand of any operator.
extension DatabaseValue: SQLSpecificExpressible {}

extension Optional: SQLSelectable where Wrapped: SQLSpecificExpressible {}

extension Optional: SQLOrderingTerm where Wrapped: SQLSpecificExpressible {}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}

extension SQLExpression {
    package init(_ node: ExpressionNode) {
        self.init(.node(node))
    }

    /// Creates the expression of a value, or NULL.
    ///
    /// Use it instead of `??`, which is also an operator that generates SQL.
    package init(orNull expressible: (any SQLExpressible)?) {
        if let expressible { self = expressible.sqlExpression } else { self = .null }
    }

    package static var null: SQLExpression { SQLExpression(.value(.null)) }

    /// The node of the query interface; `nil` for values, and for expressions that only write themselves.
    package var node: ExpressionNode? {
        if case .node(let node) = content { node as? ExpressionNode } else { nil }
    }

    /// The value; `nil` for expressions that are not values.
    package var value: DatabaseValue? {
        if case .value(let value) = content { value } else { nil }
    }
}
