public import VigilEngine

// Common table expressions can be joined with each other and with tables.
extension CommonTableExpression {
    /// Returns an association to the rows of another common table expression, linked by a condition.
    ///
    /// ```swift
    /// let association = best.association(to: latest, on: { best, latest in
    ///     best[Column("playerId")] == latest[Column("playerId")]
    /// })
    /// let request = best.all().with(best).with(latest).including(required: association)
    /// ```
    ///
    /// - Parameters:
    ///   - cte: The other common table expression. The request must define it by `with(_:)`.
    ///   - condition: Returns the condition linking two rows.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition:
            @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) ->
            any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.all().query, on: condition)
    }

    /// Returns an association to all rows of another common table expression.
    public func association<Destination>(to cte: CommonTableExpression<Destination>)
        -> JoinAssociation<RowDecoder, Destination>
    {
        JoinAssociation(to: cte.all().query, on: nil)
    }

    /// Returns an association to the rows of the table of a record type, linked by a condition.
    public func association<Destination>(
        to destination: Destination.Type,
        on condition:
            @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) ->
            any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> where Destination: TableRecord {
        JoinAssociation(to: Destination.all().query, on: condition)
    }

    /// Returns an association to all rows of the table of a record type.
    public func association<Destination>(to destination: Destination.Type)
        -> JoinAssociation<RowDecoder, Destination> where Destination: TableRecord
    {
        JoinAssociation(to: Destination.all().query, on: nil)
    }

    /// Returns an association to the rows of a table, linked by a condition.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition:
            @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) ->
            any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.all().query, on: condition)
    }

    /// Returns an association to all rows of a table.
    public func association<Destination>(to destination: Table<Destination>)
        -> JoinAssociation<RowDecoder, Destination>
    {
        JoinAssociation(to: destination.all().query, on: nil)
    }
}
