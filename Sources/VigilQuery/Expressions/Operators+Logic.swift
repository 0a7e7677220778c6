public import VigilEngine

// Operators with SQL only on the right side are disfavored, see `Operators+Comparison.swift`.

extension SQLSpecificExpressible {
    /// Whether both operands are true.
    public static func && (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .chain(.and, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// Whether both operands are true.
    @_disfavoredOverload
    public static func && (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .chain(.and, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// Whether both operands are true.
    public static func && (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .chain(.and, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// Whether an operand is true.
    public static func || (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .chain(.or, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// Whether an operand is true.
    @_disfavoredOverload
    public static func || (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .chain(.or, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// Whether an operand is true.
    public static func || (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .chain(.or, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// Whether the operand is false. Comparisons become their opposites.
    ///
    /// ```swift
    /// !(Column("score") == 0)          // "score" <> 0
    /// ![1, 2].contains(Column("id"))   // "id" NOT IN (1, 2)
    /// ```
    public static prefix func ! (value: Self) -> SQLExpression { value.sqlExpression.negated }
}

extension Sequence where Element: SQLSpecificExpressible {
    /// Returns the expressions joined by an operator; the operator's neutral value without expressions.
    ///
    /// ```swift
    /// // score + bonus + extra
    /// let total = [Column("score"), Column("bonus"), Column("extra")].joined(operator: .add)
    /// ```
    public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        .chain(`operator`, map(\.sqlExpression))
    }
}

extension Sequence<any SQLSpecificExpressible> {
    /// Returns the expressions joined by an operator; the operator's neutral value without expressions.
    public func joined(operator: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        .chain(`operator`, map(\.sqlExpression))
    }
}

extension SQLExpression {
    /// Returns the comparison with 1 or 0.
    func compared(with truth: Bool) -> SQLExpression {
        if let value {
            if value.isNull { return .null }
            if let integer = Int64.fromDatabaseValue(value), integer == 0 || integer == 1 {
                return ((integer == 1) == truth).sqlExpression
            }
        }
        switch node {
        case .countIsZero(let number, let isNegated):
            return SQLExpression(.countIsZero(number, isNegated: isNegated == truth))
        case .collated(let inner, let name) where !inner.isBinaryOperation:
            return SQLExpression(.collated(inner.compared(with: truth), name))
        default:
            return .equality(.equal, of: self, and: truth.sqlExpression)
        }
    }

    /// The opposite of the expression; NULL where the expression is NULL.
    var negated: SQLExpression {
        // `??` would be the function IFNULL.
        if let opposite { opposite } else { SQLExpression(.not(self)) }
    }

    /// The opposite, if it is a value or another form of the expression.
    private var opposite: SQLExpression? {
        if let value {
            if value.isNull { return .null }
            if let integer = Int64.fromDatabaseValue(value), integer == 0 || integer == 1 {
                return (integer == 0).sqlExpression
            }
        }
        let opposite: ExpressionNode? =
            switch node {
            case .equality(let test, let a, let b): .equality(test.opposite, a, b)
            case .between(let value, let lower, let upper, let isNegated):
                .between(value, lower, upper, isNegated: !isNegated)
            case .like(let value, let pattern, let escape, let isNegated):
                .like(value, pattern, escape: escape, isNegated: !isNegated)
            case .membership(let element, let set, let isNegated):
                .membership(element, set, isNegated: !isNegated)
            case .exists(let subquery, let isNegated): .exists(subquery, isNegated: !isNegated)
            case .rowExists(let alias, let isNegated): .rowExists(alias, isNegated: !isNegated)
            case .countIsZero(let number, let isNegated): .countIsZero(number, isNegated: !isNegated)
            // A collation outside of NOT would not belong to a comparison inside of it.
            case .collated(let inner, let name): inner.opposite.map { .collated($0, name) }
            default: nil
            }
        return opposite.map(SQLExpression.init)
    }
}

extension ExpressionNode.Equality {
    var opposite: Self {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .identical: .notIdentical
        case .notIdentical: .identical
        }
    }
}
