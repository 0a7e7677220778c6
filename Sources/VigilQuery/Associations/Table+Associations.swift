public import VigilEngine

// Associations can begin with a table, and lead to tables.
extension Table {
    /// Returns a many-to-one association: each row of this table refers to one row of another table.
    ///
    /// ```swift
    /// let books = Table("book")
    /// let author = books.belongsTo(Author.self)
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - key: The name of the scope or of the prefetched rows; by default derived from the table name.
    ///   - foreignKey: The columns; by default the only foreign key in the schema.
    public func belongsTo<Destination>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> where Destination: TableRecord {
        BelongsToAssociation(to: Destination.all().query, key: key, using: foreignKey)
    }

    /// Returns a one-to-many association: any number of rows of another table refer to each row of this
    /// table.
    ///
    /// ```swift
    /// let authors = Table("author")
    /// let books = authors.hasMany(Book.self)
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - key: The name of the scope or of the prefetched rows; by default derived from the table name.
    ///   - foreignKey: The columns; by default the only foreign key in the schema.
    public func hasMany<Destination>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> where Destination: TableRecord {
        HasManyAssociation(to: Destination.all().query, key: key, using: foreignKey)
    }

    /// Returns a one-to-one association: at most one row of another table refers to each row of this table.
    ///
    /// ```swift
    /// let countries = Table("country")
    /// let profile = countries.hasOne(CountryProfile.self)
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - key: The name of the scope or of the prefetched rows; by default derived from the table name.
    ///   - foreignKey: The columns; by default the only foreign key in the schema.
    public func hasOne<Destination>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> where Destination: TableRecord {
        HasOneAssociation(to: Destination.all().query, key: key, using: foreignKey)
    }

    /// Returns a many-to-one association: each row of this table refers to one row of another table.
    public func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(to: destination.all().query, key: key, using: foreignKey)
    }

    /// Returns a one-to-many association: any number of rows of another table refer to a row of this table.
    public func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(to: destination.all().query, key: key, using: foreignKey)
    }

    /// Returns a one-to-one association: at most one row of another table refers to each row of this table.
    public func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(to: destination.all().query, key: key, using: foreignKey)
    }
}

// MARK: - Through other associations

extension Table {
    /// Returns a to-many association in two steps: through one association, and using another one.
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
    ///   - pivot: The first step, to the rows in between.
    ///   - target: The second step, to the associated records.
    ///   - key: The name of the scope or of the prefetched rows; by default the name of `target`.
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

    /// Returns a to-one association in two steps: through one association, and using another one.
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
    ///   - pivot: The first step, to the row in between.
    ///   - target: The second step, to the associated records.
    ///   - key: The name of the scope; by default the name of `target`.
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
    /// Returns an association to the rows of a common table expression, linked by a condition.
    ///
    /// ```swift
    /// let association = Chat.association(to: latest, on: { chat, latest in
    ///     chat[Column("id")] == latest[Column("chatId")]
    /// })
    /// let request = Chat.with(latest).including(optional: association)
    /// ```
    ///
    /// - Parameters:
    ///   - cte: The common table expression. The request must define it by `with(_:)`.
    ///   - condition: Returns the condition linking two rows.
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
    /// Returns a request that prefetches an association: one other statement fetches the associated rows.
    public func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(all: association)
    }

    /// Returns a request with the rows of an association, if they exist.
    public func including<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(optional: association)
    }

    /// Returns a request with the rows of an association. Excludes rows without associated rows.
    public func including<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(required: association)
    }

    /// Returns a request joined with the rows of an association, if they exist, without selecting them.
    public func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(optional: association)
    }

    /// Returns a request joined with the rows of an association, without selecting them. Excludes rows
    /// without associated rows.
    public func joining<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(required: association)
    }

    /// Returns a request with columns of an association among its own; NULL without an associated row.
    public func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().annotated(withOptional: association)
    }

    /// Returns a request with columns of an association among its own. Excludes rows without associated ones.
    public func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().annotated(withRequired: association)
    }

    /// Returns a request with aggregates of associations as additional columns.
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

    /// Returns a request for the rows meeting a condition on aggregates of associations.
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        all().having(predicate)
    }
}
