public import VigilEngine

// Operators with SQL only on the right side are disfavored. The compiler then tries them only if no other
// operator fits. This keeps the time to type-check a condition of many terms below a second
// (`CompilerTests`).
//
// Operators generate SQL if at least one operand is written as SQL. A comparison with `nil` or NULL becomes
// `IS NULL`.
extension SQLSpecificExpressible {
    /// Whether the operands are equal. The result is NULL if an operand is NULL, unless it is a literal NULL.
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        .equal(lhs.sqlExpression, SQLExpression(orNull: rhs))
    }

    /// Whether the operands are equal. The result is NULL if an operand is NULL, unless it is a literal NULL.
    @_disfavoredOverload
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        .equal(SQLExpression(orNull: lhs), rhs.sqlExpression)
    }

    /// Whether the operands are equal. The result is NULL if an operand is NULL, unless it is a literal NULL.
    public static func == (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .equal(lhs.sqlExpression, rhs.sqlExpression)
    }

    /// Whether the operands are equal. The result is NULL if an operand is NULL, unless it is a literal NULL.
    public static func == (lhs: Self, rhs: Bool) -> SQLExpression {
        lhs.sqlExpression.compared(with: rhs)
    }

    /// Whether the operands are equal. The result is NULL if an operand is NULL, unless it is a literal NULL.
    @_disfavoredOverload
    public static func == (lhs: Bool, rhs: Self) -> SQLExpression {
        rhs.sqlExpression.compared(with: lhs)
    }

    /// Whether the operands differ. The result is NULL if an operand is NULL, unless it is a literal NULL.
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        .equal(lhs.sqlExpression, SQLExpression(orNull: rhs)).negated
    }

    /// Whether the operands differ. The result is NULL if an operand is NULL, unless it is a literal NULL.
    @_disfavoredOverload
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        .equal(SQLExpression(orNull: lhs), rhs.sqlExpression).negated
    }

    /// Whether the operands differ. The result is NULL if an operand is NULL, unless it is a literal NULL.
    public static func != (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .equal(lhs.sqlExpression, rhs.sqlExpression).negated
    }

    /// Whether the operands differ. The result is NULL if an operand is NULL, unless it is a literal NULL.
    public static func != (lhs: Self, rhs: Bool) -> SQLExpression {
        lhs.sqlExpression.compared(with: rhs).negated
    }

    /// Whether the operands differ. The result is NULL if an operand is NULL, unless it is a literal NULL.
    @_disfavoredOverload
    public static func != (lhs: Bool, rhs: Self) -> SQLExpression {
        rhs.sqlExpression.compared(with: lhs).negated
    }

    /// Whether the operands are equal or both NULL.
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        .equality(.identical, of: lhs.sqlExpression, and: SQLExpression(orNull: rhs))
    }

    /// Whether the operands are equal or both NULL.
    @_disfavoredOverload
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        .identical(.identical, of: SQLExpression(orNull: lhs), and: rhs.sqlExpression)
    }

    /// Whether the operands are equal or both NULL.
    public static func === (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .equality(.identical, of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the operands differ, or exactly one of them is NULL.
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> SQLExpression {
        .equality(.notIdentical, of: lhs.sqlExpression, and: SQLExpression(orNull: rhs))
    }

    /// Whether the operands differ, or exactly one of them is NULL.
    @_disfavoredOverload
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> SQLExpression {
        .identical(.notIdentical, of: SQLExpression(orNull: lhs), and: rhs.sqlExpression)
    }

    /// Whether the operands differ, or exactly one of them is NULL.
    public static func !== (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .equality(.notIdentical, of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is less than the right one.
    public static func < (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .operation("<", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is less than the right one.
    @_disfavoredOverload
    public static func < (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .operation("<", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is less than the right one.
    public static func < (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .operation("<", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is less than or equal to the right one.
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .operation("<=", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is less than or equal to the right one.
    @_disfavoredOverload
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .operation("<=", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is less than or equal to the right one.
    public static func <= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .operation("<=", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is greater than the right one.
    public static func > (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .operation(">", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is greater than the right one.
    @_disfavoredOverload
    public static func > (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .operation(">", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is greater than the right one.
    public static func > (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .operation(">", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is greater than or equal to the right one.
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .operation(">=", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is greater than or equal to the right one.
    @_disfavoredOverload
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> SQLExpression {
        .operation(">=", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }

    /// Whether the left operand is greater than or equal to the right one.
    public static func >= (lhs: Self, rhs: some SQLSpecificExpressible) -> SQLExpression {
        .operation(">=", of: lhs.sqlExpression, and: rhs.sqlExpression)
    }
}
