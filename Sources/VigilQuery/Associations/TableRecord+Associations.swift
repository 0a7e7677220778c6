public import VigilEngine

// Associations begin with a record type.
extension TableRecord {
    /// Returns an association to the row that a foreign key of this table refers to.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let author = belongsTo(Author.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - key: The name of the scope or of the prefetched rows; `nil` for one that is derived from the table name.
    ///   - foreignKey: The columns; `nil` for those of the only foreign key in the schema.
    public static func belongsTo<Destination>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> where Destination: TableRecord {
        BelongsToAssociation(to: Destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the rows whose foreign key refers to a row of this table.
    ///
    /// ```swift
    /// struct Author: TableRecord {
    ///     static let books = hasMany(Book.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - key: The name of the scope or of the prefetched rows; `nil` for one that is derived from the table name.
    ///   - foreignKey: The columns; `nil` for those of the only foreign key in the schema.
    public static func hasMany<Destination>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> where Destination: TableRecord {
        HasManyAssociation(to: Destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the only row whose foreign key refers to a row of this table.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let profile = hasOne(CountryProfile.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: The type of the associated records.
    ///   - key: The name of the scope or of the prefetched rows; `nil` for one that is derived from the table name.
    ///   - foreignKey: The columns; `nil` for those of the only foreign key in the schema.
    public static func hasOne<Destination>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> where Destination: TableRecord {
        HasOneAssociation(to: Destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the row that a foreign key of this table refers to.
    public static func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        BelongsToAssociation(to: destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the rows whose foreign key refers to a row of this table.
    public static func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        HasManyAssociation(to: destination.all().query, key: key, using: foreignKey)
    }

    /// Returns an association to the only row whose foreign key refers to a row of this table.
    public static func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        HasOneAssociation(to: destination.all().query, key: key, using: foreignKey)
    }
}

// MARK: - Through other associations

extension TableRecord {
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
    public static func hasMany<Pivot, Target>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
    where
        Pivot: Association, Target: Association, Pivot.OriginRowDecoder == Self,
        Pivot.RowDecoder == Target.OriginRowDecoder
    {
        let association = HasManyThroughAssociation<Self, Target.RowDecoder>(through: pivot, using: target)
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
    public static func hasOne<Pivot, Target>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where
        Pivot: AssociationToOne, Target: AssociationToOne, Pivot.OriginRowDecoder == Self,
        Pivot.RowDecoder == Target.OriginRowDecoder
    {
        let association = HasOneThroughAssociation<Self, Target.RowDecoder>(through: pivot, using: target)
        return key.map { association.forKey($0) } ?? association
    }
}

// MARK: - Common table expressions

extension TableRecord {
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
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition:
            @escaping @Sendable (_ left: TableAlias<Self>, _ right: TableAlias<Destination>) ->
            any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(to: cte.all().query, on: condition)
    }

    /// Returns an association to all rows of a common table expression.
    public static func association<Destination>(to cte: CommonTableExpression<Destination>)
        -> JoinAssociation<Self, Destination>
    {
        JoinAssociation(to: cte.all().query, on: nil)
    }
}

// MARK: - Requests

extension TableRecord {
    /// Returns a request that prefetches the rows of an association: they are fetched by one other statement.
    public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(all: association)
    }

    /// Returns a request that also selects the rows of an association, if they exist.
    public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(optional: association)
    }

    /// Returns a request that also selects the rows of an association, which must exist.
    public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(required: association)
    }

    /// Returns a request that joins the rows of an association without selecting them, if they exist.
    public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().joining(optional: association)
    }

    /// Returns a request that joins the rows of an association without selecting them, which must exist.
    public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().joining(required: association)
    }

    /// Returns a request that also selects the columns of an association among its own, if an associated row exists.
    public static func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().annotated(withOptional: association)
    }

    /// Returns a request that also selects the columns of an association, whose rows must exist, among its own.
    public static func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().annotated(withRequired: association)
    }

    /// Returns a request with aggregates of associations as additional columns.
    ///
    /// ```swift
    /// let request = Author.annotated(with: Author.books.count)
    /// ```
    public static func annotated(with aggregates: AssociationAggregate<Self>...) -> QueryInterfaceRequest<
        Self
    > {
        all().annotated(with: aggregates)
    }

    /// Returns a request with aggregates of associations as additional columns.
    public static func annotated(with aggregates: [AssociationAggregate<Self>]) -> QueryInterfaceRequest<Self>
    {
        all().annotated(with: aggregates)
    }

    /// Returns a request for the rows that meet a condition on aggregates of associations.
    ///
    /// ```swift
    /// let request = Author.having(Author.books.count > 10)
    /// ```
    public static func having(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
        all().having(predicate)
    }
}
