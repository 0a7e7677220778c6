public import VigilEngine

/// A type that is written as SQL, not bound as a value: a column, an operation, a subquery.
///
/// Operators generate SQL only with such an operand, so `1 == 2` remains a Swift comparison.
///
/// ```swift
/// let isStrong = Column("score") > 1000          // SQL
/// let request = Player.filter(isStrong).select(Column("name")).order(Column("score").desc)
/// ```
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
    /// The selection of the expression, as one result column.
    public var sqlSelection: SQLSelection { SQLSelection(.expression(sqlExpression)) }

    /// The expression as an ordering term without a direction. The database sorts it in ascending order.
    public var sqlOrdering: SQLOrdering { SQLOrdering(.expression(sqlExpression, .unspecified)) }
}

extension SQLSelectable where Self: RawRepresentable, RawValue: SQLSelectable {
    /// The selection of the raw value.
    public var sqlSelection: SQLSelection { rawValue.sqlSelection }
}

extension SQLOrderingTerm where Self: RawRepresentable, RawValue: SQLOrderingTerm {
    /// The ordering of the raw value.
    public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

extension SQLExpression: SQLSpecificExpressible {
    /// The expression itself.
    public var sqlExpression: SQLExpression { self }
}

// A `DatabaseValue` can be an operand of any operator.
extension DatabaseValue: SQLSpecificExpressible {}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
    /// The wrapped selection; NULL for `nil`.
    public var sqlSelection: SQLSelection { self?.sqlSelection ?? SQLSelection(.expression(.null)) }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
    /// The wrapped ordering; NULL for `nil`. It orders nothing.
    public var sqlOrdering: SQLOrdering {
        self?.sqlOrdering ?? SQLOrdering(.expression(.null, .unspecified))
    }
}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}

extension SQLExpression {
    package init(_ node: ExpressionNode) {
        self.init(.node(NodeReference(node)))
    }

    /// Creates the expression of a value, or NULL.
    ///
    /// Use it instead of `??`, because that is also an operator of expressions.
    package init(orNull expressible: (any SQLExpressible)?) {
        if let expressible { self = expressible.sqlExpression } else { self = .null }
    }

    package static var null: SQLExpression { SQLExpression(.value(.null)) }

    /// The node; `nil` for values.
    package var node: ExpressionNode? { nodeReference?.node }

    /// The object with the node; `nil` for values.
    var nodeReference: NodeReference? {
        // bench: request-build. Conditional casts took an eighth of the time; no other type is ever stored.
        if case .node(let object) = content { unsafeDowncast(object, to: NodeReference.self) } else { nil }
    }

    var isNullLiteral: Bool {
        if case .value(let value) = content { value.isNull } else { false }
    }

    /// Whether the expression ends with a collation.
    var isCollated: Bool { nodeReference?.isCollated ?? false }

    /// Whether this is an operation whose operands are compared with a collation.
    var isCollatedOperation: Bool { nodeReference?.isCollatedOperation ?? false }

    /// Whether this is an operator to which a collation may belong.
    var isBinaryOperation: Bool { node?.isBinaryOperation ?? false }

    var isChain: Bool { nodeReference?.isChain ?? false }

    var needsParentheses: Bool { nodeReference?.needsParentheses ?? false }

    /// The value; `nil` for other expressions.
    package var value: DatabaseValue? {
        if case .value(let value) = content { value } else { nil }
    }
}
