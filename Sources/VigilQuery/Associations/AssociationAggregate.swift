import VigilEngine

/// A value computed from all rows of a to-many association.
///
/// ```swift
/// // Authors with the number of their books
/// let request = Author.annotated(with: Author.books.count)
/// // Authors of more than ten books
/// let productive = Author.having(Author.books.count > 10)
/// ```
///
/// A request with aggregates joins the association, and is grouped by primary key. Aggregates of associations
/// with the same key share one join, and the conditions of all of them apply to each aggregate. To aggregate
/// an association with different conditions in one request, give the associations different keys with
/// `forKey(_:)`: `Author.books.filter(Column("year") < 2000).forKey("oldBooks").count` is `oldBookCount`.
///
/// If the request joins several to-many associations, sums and averages are computed by subqueries, to count
/// each associated row once. The request's conditions on columns of an aliased association apply to these
/// rows too; conditions in SQL text do not.
///
/// | aggregate | default name for `books` |
/// |---|---|
/// | `count` | `bookCount` |
/// | `isEmpty` | `hasNoBook` |
/// | `average(Column("price"))` | `averageBookPrice` |
/// | `max(Column("price"))` | `maxBookPrice` |
/// | `min(Column("price"))` | `minBookPrice` |
/// | `sum(Column("price"))`, `total(Column("price"))` | `bookPriceSum` |
///
/// The results of operators have no default name.
public struct AssociationAggregate<RowDecoder>: Sendable {
    /// The associations, with aliases for ``expression``.
    let associations: [_SQLAssociation]
    let expression: SQLExpression
    /// The name of the result column; `nil` if the SQL determines it.
    var key: String?

    /// Returns the aggregate as a result column with another name.
    ///
    /// ```swift
    /// let request = Author.annotated(with: Author.books.count.forKey("numberOfBooks"))
    /// ```
    public func forKey(_ key: String) -> Self {
        var aggregate = self
        aggregate.key = key
        return aggregate
    }

    /// Returns the aggregate as a result column with the name of a coding key.
    public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }

    /// Returns an aggregate with a modified expression, without name.
    func map(_ transform: (SQLExpression) -> SQLExpression) -> Self {
        Self(associations: associations, expression: transform(expression))
    }

    /// Returns an aggregate computed from two aggregates, without name.
    func combined(with other: Self, _ combine: (SQLExpression, SQLExpression) -> SQLExpression) -> Self {
        Self(
            associations: associations + other.associations,
            expression: combine(expression, other.expression))
    }
}

extension AssociationToMany where RowDecoder: TableRecord {
    /// The type of the argument of closures, for example in `filter` and `order`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents
}

extension AssociationToMany {
    /// The number of associated rows.
    ///
    /// ```swift
    /// // SELECT author.*, COUNT(DISTINCT book.id) AS bookCount …
    /// let request = Author.annotated(with: Author.books.count)
    /// ```
    public var count: AssociationAggregate<OriginRowDecoder> {
        aggregate { Self.rowCount($0) }.forKey(key.singularName + "Count")
    }

    /// Whether there are no associated rows.
    ///
    /// ```swift
    /// let withoutBooks = Author.having(Author.books.isEmpty)
    /// ```
    public var isEmpty: AssociationAggregate<OriginRowDecoder> {
        aggregate { SQLExpression(.countIsZero(Self.rowCount($0), isNegated: false)) }
            .forKey("hasNo" + key.singularName.capitalizedFirst)
    }

    /// Returns the average of an expression in the associated rows; NULL without rows.
    public func average(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("AVG", of: expression) { "average" + $0.capitalizedFirst + $1.capitalizedFirst }
    }

    /// Returns the average of an expression in the associated rows; NULL without rows.
    public func average(_ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible) rethrows
        -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord
    {
        try average(expression(RowDecoder.databaseComponents))
    }

    /// Returns the greatest value of an expression in the associated rows; NULL without rows.
    public func max(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("MAX", of: expression) { "max" + $0.capitalizedFirst + $1.capitalizedFirst }
    }

    /// Returns the greatest value of an expression in the associated rows; NULL without rows.
    public func max(_ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible) rethrows
        -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord
    {
        try max(expression(RowDecoder.databaseComponents))
    }

    /// Returns the least value of an expression in the associated rows; NULL without rows.
    public func min(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("MIN", of: expression) { "min" + $0.capitalizedFirst + $1.capitalizedFirst }
    }

    /// Returns the least value of an expression in the associated rows; NULL without rows.
    public func min(_ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible) rethrows
        -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord
    {
        try min(expression(RowDecoder.databaseComponents))
    }

    /// Returns the sum of an expression over the associated rows; NULL without rows.
    public func sum(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("SUM", of: expression) { $0 + $1.capitalizedFirst + "Sum" }
    }

    /// Returns the sum of an expression over the associated rows; NULL without rows.
    public func sum(_ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible) rethrows
        -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord
    {
        try sum(expression(RowDecoder.databaseComponents))
    }

    /// Returns the sum of an expression over the associated rows as a real number; 0 without rows.
    public func total(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("TOTAL", of: expression) { $0 + $1.capitalizedFirst + "Sum" }
    }

    /// Returns the sum of an expression over the associated rows as a real number; 0 without rows.
    public func total(_ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible) rethrows
        -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord
    {
        try total(expression(RowDecoder.databaseComponents))
    }

    private func aggregate(
        _ function: String, of argument: some SQLSpecificExpressible, name: (String, String) -> String
    ) -> AssociationAggregate<OriginRowDecoder> {
        let expression = argument.sqlExpression
        let dependsOnRepetitions = function != "MAX" && function != "MIN"
        var aggregate = aggregate { alias in
            let call = SQLExpression.function(function, [expression.of(alias)], isAggregate: true)
            return dependsOnRepetitions ? SQLExpression(.aggregate(call, of: alias)) : call
        }
        aggregate.key = (argument as? any ColumnExpression).map { name(key.singularName, $0.name) }
        return aggregate
    }

    private func aggregate(_ expression: (TableAliasBase) -> SQLExpression) -> AssociationAggregate<
        OriginRowDecoder
    > {
        let alias = TableAliasBase(name: nil)
        return AssociationAggregate(
            associations: [_aliased(alias)._sqlAssociation], expression: expression(alias))
    }

    /// Joins of several associations repeat rows, so count the distinct ones.
    private static func rowCount(_ alias: TableAliasBase) -> SQLExpression {
        SQLExpression(
            .function(
                FunctionCall(
                    name: "COUNT", arguments: [SQLExpression(.rowKeyOf(alias))], isAggregate: true,
                    isDistinct: true)))
    }
}

extension DerivableRequest {
    /// Returns a request with aggregates of associations as additional columns.
    ///
    /// ```swift
    /// let request = Author.all().annotated(with: Author.books.count, Author.books.max(Column("year")))
    /// ```
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Self {
        annotated(with: aggregates)
    }

    /// Returns a request with aggregates of associations as additional columns.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Self {
        aggregates.reduce(self) { request, aggregate in
            let joined = request.joining(aggregate)
            guard let key = aggregate.key else { return joined.annotated(with: [aggregate.expression]) }
            return joined.annotated(with: [aggregate.expression.forKey(key)])
        }
    }

    /// Returns a request for the rows meeting a condition on aggregates of associations.
    ///
    /// ```swift
    /// let request = Author.all().having(Author.books.count > 10)
    /// ```
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Self {
        joining(predicate).having(predicate.expression)
    }

    private func joining(_ aggregate: AssociationAggregate<RowDecoder>) -> Self {
        aggregate.associations.reduce(self) { $0._joining(optional: $1) }.groupByPrimaryKey()
    }
}
