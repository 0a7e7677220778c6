public import VigilEngine

// Operators and functions of association aggregates. Their results have no name, except for `??` and `cast`.
//
// All of them are disfavored. The compiler then tries them only if no operator of expressions fits. This
// keeps the time to type-check a condition of many terms below a second (`CompilerTests`).

// MARK: - Logic

extension AssociationAggregate {
    /// Returns the negation.
    ///
    /// ```swift
    /// let withBooks = Author.having(!Author.books.isEmpty)
    /// ```
    @_disfavoredOverload
    public static prefix func ! (aggregate: Self) -> Self { aggregate.map { !$0 } }

    /// Returns whether both aggregates are true.
    @_disfavoredOverload
    public static func && (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 && $1 } }

    /// Returns whether both aggregates are true.
    @_disfavoredOverload
    public static func && (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 && rhs } }

    /// Returns whether both aggregates are true.
    @_disfavoredOverload
    public static func && (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs && $0 } }

    /// Returns whether one of the aggregates is true.
    @_disfavoredOverload
    public static func || (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 || $1 } }

    /// Returns whether one of the aggregates is true.
    @_disfavoredOverload
    public static func || (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 || rhs } }

    /// Returns whether one of the aggregates is true.
    @_disfavoredOverload
    public static func || (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs || $0 } }
}

// MARK: - Equality

extension AssociationAggregate {
    /// Returns whether two aggregates are equal.
    @_disfavoredOverload
    public static func == (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 == $1 } }

    /// Returns whether two aggregates are equal.
    @_disfavoredOverload
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 == rhs } }

    /// Returns whether two aggregates are equal.
    @_disfavoredOverload
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs == $0 } }

    /// Returns whether two aggregates are equal.
    @_disfavoredOverload
    public static func == (lhs: Self, rhs: Bool) -> Self { lhs.map { $0 == rhs } }

    /// Returns whether two aggregates are equal.
    @_disfavoredOverload
    public static func == (lhs: Bool, rhs: Self) -> Self { rhs.map { lhs == $0 } }

    /// Returns whether two aggregates differ.
    @_disfavoredOverload
    public static func != (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 != $1 } }

    /// Returns whether two aggregates differ.
    @_disfavoredOverload
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 != rhs } }

    /// Returns whether two aggregates differ.
    @_disfavoredOverload
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs != $0 } }

    /// Returns whether two aggregates differ.
    @_disfavoredOverload
    public static func != (lhs: Self, rhs: Bool) -> Self { lhs.map { $0 != rhs } }

    /// Returns whether two aggregates differ.
    @_disfavoredOverload
    public static func != (lhs: Bool, rhs: Self) -> Self { rhs.map { lhs != $0 } }

    /// Returns whether two aggregates are equal, or both NULL.
    @_disfavoredOverload
    public static func === (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 === $1 } }

    /// Returns whether two aggregates are equal, or both NULL.
    @_disfavoredOverload
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 === rhs } }

    /// Returns whether two aggregates are equal, or both NULL.
    @_disfavoredOverload
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs === $0 } }

    /// Returns whether two aggregates differ, or only one is NULL.
    @_disfavoredOverload
    public static func !== (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 !== $1 } }

    /// Returns whether two aggregates differ, or only one is NULL.
    @_disfavoredOverload
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 !== rhs } }

    /// Returns whether two aggregates differ, or only one is NULL.
    @_disfavoredOverload
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs !== $0 } }
}

// MARK: - Comparisons

extension AssociationAggregate {
    /// Returns whether an aggregate is less than another.
    @_disfavoredOverload
    public static func < (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 < $1 } }

    /// Returns whether an aggregate is less than another.
    @_disfavoredOverload
    public static func < (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 < rhs } }

    /// Returns whether an aggregate is less than another.
    @_disfavoredOverload
    public static func < (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs < $0 } }

    /// Returns whether an aggregate is at most another.
    @_disfavoredOverload
    public static func <= (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 <= $1 } }

    /// Returns whether an aggregate is at most another.
    @_disfavoredOverload
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 <= rhs } }

    /// Returns whether an aggregate is at most another.
    @_disfavoredOverload
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs <= $0 } }

    /// Returns whether an aggregate is greater than another.
    @_disfavoredOverload
    public static func > (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 > $1 } }

    /// Returns whether an aggregate is greater than another.
    @_disfavoredOverload
    public static func > (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 > rhs } }

    /// Returns whether an aggregate is greater than another.
    @_disfavoredOverload
    public static func > (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs > $0 } }

    /// Returns whether an aggregate is at least another.
    @_disfavoredOverload
    public static func >= (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 >= $1 } }

    /// Returns whether an aggregate is at least another.
    @_disfavoredOverload
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 >= rhs } }

    /// Returns whether an aggregate is at least another.
    @_disfavoredOverload
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs >= $0 } }
}

// MARK: - Arithmetic

extension AssociationAggregate {
    /// Returns the opposite number.
    @_disfavoredOverload
    public static prefix func - (aggregate: Self) -> Self { aggregate.map { -$0 } }

    /// Returns the sum.
    @_disfavoredOverload
    public static func + (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 + $1 } }

    /// Returns the sum.
    @_disfavoredOverload
    public static func + (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 + rhs } }

    /// Returns the sum.
    @_disfavoredOverload
    public static func + (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs + $0 } }

    /// Returns the difference.
    @_disfavoredOverload
    public static func - (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 - $1 } }

    /// Returns the difference.
    @_disfavoredOverload
    public static func - (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 - rhs } }

    /// Returns the difference.
    @_disfavoredOverload
    public static func - (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs - $0 } }

    /// Returns the product.
    @_disfavoredOverload
    public static func * (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 * $1 } }

    /// Returns the product.
    @_disfavoredOverload
    public static func * (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 * rhs } }

    /// Returns the product.
    @_disfavoredOverload
    public static func * (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs * $0 } }

    /// Returns the quotient.
    @_disfavoredOverload
    public static func / (lhs: Self, rhs: Self) -> Self { lhs.combined(with: rhs) { $0 / $1 } }

    /// Returns the quotient.
    @_disfavoredOverload
    public static func / (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 / rhs } }

    /// Returns the quotient.
    @_disfavoredOverload
    public static func / (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs / $0 } }
}

// MARK: - Functions

extension AssociationAggregate {
    /// Returns the aggregate, or another value instead of NULL. The result has the name of the aggregate.
    ///
    /// ```swift
    /// let request = Team.annotated(with: Team.players.max(Column("score")) ?? 0)
    /// ```
    @_disfavoredOverload
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> Self {
        var result = lhs.map { $0 ?? rhs }
        result.key = lhs.key
        return result
    }
}

/// Returns the absolute value of an aggregate.
@_disfavoredOverload
public func abs<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder>
{
    aggregate.map { abs($0) }
}

/// Returns an aggregate converted to a storage class. The result has the name of the aggregate.
@_disfavoredOverload
public func cast<RowDecoder>(
    _ aggregate: AssociationAggregate<RowDecoder>, as storageClass: Database.StorageClass
) -> AssociationAggregate<RowDecoder> {
    var result = aggregate.map { cast($0, as: storageClass) }
    result.key = aggregate.key
    return result
}

/// Returns the number of characters of a text aggregate, or the number of bytes of a BLOB aggregate.
@_disfavoredOverload
public func length<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<
    RowDecoder
> {
    aggregate.map { length($0) }
}
