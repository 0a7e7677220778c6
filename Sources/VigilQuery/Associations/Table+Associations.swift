public import VigilEngine

// Associations can begin with a table, and lead to tables.
extension Table {
    /// Returns an association to the row that a foreign key of this table refers to.
    ///
    /// ```swift
    /// let books = Table("book")
    /// let author = books.belongsTo(Author.self)
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - key: The name of the scope or of the prefetched rows; `nil` for one that is derived from the table name.
    ///   - foreignKey: The columns; `nil` for those of the only foreign key in the schema.
    public func belongsTo<Destination>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> where Destination: TableRecord {
        BelongsToAssociation(to: Destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the rows whose foreign key refers to a row of this table.
    ///
    /// ```swift
    /// let authors = Table("author")
    /// let books = authors.hasMany(Book.self)
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - key: The name of the scope or of the prefetched rows; `nil` for one that is derived from the table name.
    ///   - foreignKey: The columns; `nil` for those of the only foreign key in the schema.
    public func hasMany<Destination>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> where Destination: TableRecord {
        HasManyAssociation(to: Destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the only row whose foreign key refers to a row of this table.
    ///
    /// ```swift
    /// let countries = Table("country")
    /// let profile = countries.hasOne(CountryProfile.self)
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - key: The name of the scope or of the prefetched rows; `nil` for one that is derived from the table name.
    ///   - foreignKey: The columns; `nil` for those of the only foreign key in the schema.
    public func hasOne<Destination>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> where Destination: TableRecord {
        HasOneAssociation(to: Destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the row that a foreign key of this table refers to.
    public func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(to: destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the rows whose foreign key refers to a row of this table.
    public func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(to: destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the only row whose foreign key refers to a row of this table.
    public func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(to: destination.all().query, key: key, using: foreignKey)
    }
}

// MARK: - Through other associations

extension Table {
    /// Returns an association to the rows that those of another association are linked to.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let passports = hasMany(Passport.self)
    ///     static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - pivot: The association to the rows in between.
    ///   - target: The association that continues it.
    ///   - key: The name of the scope or of the prefetched rows; `nil` for that of `target`.
    public func hasMany<Pivot, Target>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
    where
        Pivot: Association, Target: Association, Pivot.OriginRowDecoder == RowDecoder,
        Pivot.RowDecoder == Target.OriginRowDecoder
    {
        let association = HasManyThroughAssociation<RowDecoder, Target.RowDecoder>(
            through: pivot, using: target)
        return key.map { association.forKey($0) } ?? association
    }

    /// Returns an association to the row that the one of another association is linked to.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let library = belongsTo(Library.self)
    ///     static let returnAddress = hasOne(Address.self, through: library, using: Library.address)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - pivot: The association to the row in between.
    ///   - target: The association that continues it.
    ///   - key: The name of the scope; `nil` for that of `target`.
    public func hasOne<Pivot, Target>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where
        Pivot: AssociationToOne, Target: AssociationToOne, Pivot.OriginRowDecoder == RowDecoder,
        Pivot.RowDecoder == Target.OriginRowDecoder
    {
        let association = HasOneThroughAssociation<RowDecoder, Target.RowDecoder>(
            through: pivot, using: target)
        return key.map { association.forKey($0) } ?? association
    }
}

// MARK: - Common table expressions

extension Table {
    /// Returns an association to the rows of a common table expression that meet a condition.
    ///
    /// ```swift
    /// let association = Chat.association(to: latest, on: { chat, latest in
    ///     chat[Column("id")] == latest[Column("chatId")]
    /// })
    /// let request = Chat.with(latest).including(optional: association)
    /// ```
    ///
    /// - Parameters:
    ///   - cte: The common table expression, which the request must define by `with(_:)`.
    ///   - condition: Returns the condition that two rows are linked.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition:
            @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) ->
            any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: cte.all().query, on: condition)
    }

    /// Returns an association to all rows of a common table expression.
    public func association<Destination>(to cte: CommonTableExpression<Destination>)
        -> JoinAssociation<RowDecoder, Destination>
    {
        JoinAssociation(to: cte.all().query, on: nil)
    }
}

// MARK: - Requests

extension Table {
    /// Returns a request that prefetches the rows of an association: they are fetched by one other statement.
    public func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(all: association)
    }

    /// Returns a request that also selects the rows of an association, if they exist.
    public func including<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(optional: association)
    }

    /// Returns a request that also selects the rows of an association, which must exist.
    public func including<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(required: association)
    }

    /// Returns a request that joins the rows of an association without selecting them, if they exist.
    public func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(optional: association)
    }

    /// Returns a request that joins the rows of an association without selecting them, which must exist.
    public func joining<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(required: association)
    }

    /// Returns a request that also selects the columns of an association among its own, if an associated row exists.
    public func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().annotated(withOptional: association)
    }

    /// Returns a request that also selects the columns of an association, whose rows must exist, among its own.
    public func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().annotated(withRequired: association)
    }

    /// Returns a request with aggregates of associations as additional columns.
    ///
    /// ```swift
    /// let request = Author.annotated(with: Author.books.count)
    /// ```
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> QueryInterfaceRequest<
        RowDecoder
    > {
        all().annotated(with: aggregates)
    }

    /// Returns a request with aggregates of associations as additional columns.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> QueryInterfaceRequest<
        RowDecoder
    > {
        all().annotated(with: aggregates)
    }

    /// Returns a request for the rows that meet a condition on aggregates of associations.
    ///
    /// ```swift
    /// let request = Author.having(Author.books.count > 10)
    /// ```
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        all().having(predicate)
    }
}
