public import VigilEngine

// Aggregates ignore NULL. Filters require SQLite 3.30, and orderings require SQLite 3.44.

private func aggregate(
    _ name: String, _ value: some SQLExpressible, isDistinct: Bool = false,
    ordering: (any SQLOrderingTerm)? = nil, filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    SQLExpression(
        .function(
            FunctionCall(
                name: name, arguments: [value.sqlExpression], isAggregate: true, isDistinct: isDistinct,
                ordering: ordering?.sqlOrdering, filter: filter?.sqlExpression)))
}

/// The number of rows with an expression other than NULL.
///
/// ```swift
/// // SELECT COUNT(email) FROM player
/// let request = Player.select(count(Column("email")))
/// ```
public func count(_ counted: some SQLSpecificExpressible) -> SQLExpression { aggregate("COUNT", counted) }

/// The number of rows with an expression other than NULL.
///
/// - Parameters:
///   - counted: The expression.
///   - filter: The rows to consider.
public func count(_ counted: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?)
    -> SQLExpression
{
    aggregate("COUNT", counted, filter: filter)
}

/// The number of distinct values other than NULL.
public func count(distinct value: some SQLSpecificExpressible) -> SQLExpression {
    aggregate("COUNT", value, isDistinct: true)
}

/// The number of distinct values other than NULL.
///
/// - Parameters:
///   - value: The expression.
///   - filter: The rows to consider.
public func count(distinct value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?)
    -> SQLExpression
{
    aggregate("COUNT", value, isDistinct: true, filter: filter)
}

/// The average of the values, as a floating-point number; NULL without values.
public func average(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("AVG", value) }

/// The average of the values, as a floating-point number; NULL without values.
///
/// - Parameters:
///   - value: The aggregated expression.
///   - filter: The rows to consider.
public func average(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?)
    -> SQLExpression
{
    aggregate("AVG", value, filter: filter)
}

/// The greatest value; NULL without values.
public func max(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MAX", value) }

/// The greatest value; NULL without values.
///
/// - Parameters:
///   - value: The aggregated expression.
///   - filter: The rows to consider.
public func max(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression
{
    aggregate("MAX", value, filter: filter)
}

/// The least value; NULL without values.
public func min(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("MIN", value) }

/// The least value; NULL without values.
///
/// - Parameters:
///   - value: The aggregated expression.
///   - filter: The rows to consider.
public func min(_ value: some SQLSpecificExpressible, filter: (any SQLSpecificExpressible)?) -> SQLExpression
{
    aggregate("MIN", value, filter: filter)
}

/// The sum of the values; NULL without values. See also ``total(_:)``.
public func sum(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("SUM", value) }

/// The sum of the values; NULL without values. See also ``total(_:)``.
///
/// - Parameters:
///   - value: The aggregated expression.
///   - ordering: The order of the additions. It affects rounding.
///   - filter: The rows to consider.
public func sum(
    _ value: some SQLSpecificExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("SUM", value, ordering: ordering, filter: filter)
}

/// The sum of the values as a floating-point number; 0 without values.
public func total(_ value: some SQLSpecificExpressible) -> SQLExpression { aggregate("TOTAL", value) }

/// The sum of the values as a floating-point number; 0 without values.
///
/// - Parameters:
///   - value: The aggregated expression.
///   - ordering: The order of the additions. It affects rounding.
///   - filter: The rows to consider.
public func total(
    _ value: some SQLSpecificExpressible, orderBy ordering: (any SQLOrderingTerm)? = nil,
    filter: (any SQLSpecificExpressible)? = nil
) -> SQLExpression {
    aggregate("TOTAL", value, ordering: ordering, filter: filter)
}

/// The greatest of several values in one row; NULL if one of them is NULL.
public func max(
    _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
    .function("MAX", ([value1, value2] + values).map(\.sqlExpression))
}

/// The least of several values in one row; NULL if one of them is NULL.
public func min(
    _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
    .function("MIN", ([value1, value2] + values).map(\.sqlExpression))
}
