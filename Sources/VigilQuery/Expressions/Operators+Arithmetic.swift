public import VigilEngine

// Operators with SQL only on the right side are disfavored, see `Operators+Comparison.swift`.

extension SQLSpecificExpressible {
    /// The sum of the operands.
    public static func + (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .chain(.add, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The sum of the operands.
    @_disfavoredOverload
    public static func + (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .chain(.add, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The sum of the operands.
    public static func + (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .chain(.add, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The difference of the operands.
    public static func - (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .operation("-", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The difference of the operands.
    @_disfavoredOverload
    public static func - (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .operation("-", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The difference of the operands.
    public static func - (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .operation("-", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The product of the operands.
    public static func * (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The product of the operands.
    @_disfavoredOverload
    public static func * (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The product of the operands.
    public static func * (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .chain(.multiply, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The quotient of the operands. The quotient of integers is an integer.
    public static func / (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .operation("/", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The quotient of the operands. The quotient of integers is an integer.
    @_disfavoredOverload
    public static func / (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .operation("/", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The quotient of the operands. The quotient of integers is an integer.
    public static func / (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .operation("/", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The bitwise AND of the operands.
    public static func & (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .chain(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The bitwise AND of the operands.
    @_disfavoredOverload
    public static func & (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .chain(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The bitwise AND of the operands.
    public static func & (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .chain(.bitwiseAnd, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The bitwise OR of the operands.
    public static func | (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .chain(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The bitwise OR of the operands.
    @_disfavoredOverload
    public static func | (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .chain(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The bitwise OR of the operands.
    public static func | (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .chain(.bitwiseOr, [lhs.sqlExpression, rhs.sqlExpression])
    }

    /// The left operand with its bits shifted to the left.
    public static func << (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .operation("<<", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The left operand with its bits shifted to the left.
    @_disfavoredOverload
    public static func << (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .operation("<<", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The left operand with its bits shifted to the left.
    public static func << (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .operation("<<", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The left operand with its bits shifted to the right.
    public static func >> (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .operation(">>", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The left operand with its bits shifted to the right.
    @_disfavoredOverload
    public static func >> (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .operation(">>", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The left operand with its bits shifted to the right.
    public static func >> (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .operation(">>", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// The negative of the operand.
    public static prefix func - (value: Self) -> SQLExpression {
        SQLExpression(.prefix("-", value.sqlExpression))
    }

    /// The operand with its bits inverted.
    public static prefix func ~ (value: Self) -> SQLExpression {
        SQLExpression(.prefix("~", value.sqlExpression))
    }

    /// The left operand, or the right one if the left one is NULL.
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .function("IFNULL", [lhs.sqlExpression, rhs.sqlExpression])
    }
}
