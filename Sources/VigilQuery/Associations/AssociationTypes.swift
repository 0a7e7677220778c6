import VigilEngine

// The kinds of associations. They differ in the direction of their foreign key, in their default keys, and in
// the methods for their cardinality.

/// A many-to-one association: each row refers to one row of another table.
///
/// ```swift
/// struct Book: TableRecord {
///     static let author = belongsTo(Author.self)
/// }
/// let request = Book.including(required: Book.author)
/// ```
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
    /// The type of the rows with the foreign key.
    public typealias OriginRowDecoder = Origin
    /// The type of the associated rows.
    public typealias RowDecoder = Destination

    /// The steps of the association.
    public var _sqlAssociation: _SQLAssociation

    init(to query: Query, key: String?, using foreignKey: ForeignKey?) {
        _sqlAssociation = .direct(
            to: query, key: key.map(AssociationKey.singular), foreignKey, isOrigin: true, isToOne: true)
    }
}

/// A one-to-many association: any number of rows of another table refer to each row.
///
/// ```swift
/// struct Author: TableRecord {
///     static let books = hasMany(Book.self)
/// }
/// let request = Author.including(all: Author.books)
/// ```
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
    /// The type of the rows referred to by the foreign key.
    public typealias OriginRowDecoder = Origin
    /// The type of the rows with the foreign key.
    public typealias RowDecoder = Destination

    /// The steps of the association.
    public var _sqlAssociation: _SQLAssociation

    init(to query: Query, key: String?, using foreignKey: ForeignKey?) {
        _sqlAssociation = .direct(
            to: query, key: key.map(AssociationKey.plural), foreignKey, isOrigin: false, isToOne: false)
    }
}

/// A one-to-one association: at most one row of another table refers to each row.
///
/// ```swift
/// struct Country: TableRecord {
///     static let profile = hasOne(CountryProfile.self)
/// }
/// let request = Country.including(optional: Country.profile)
/// ```
///
/// The columns of the foreign key should have a unique index.
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
    /// The type of the rows referred to by the foreign key.
    public typealias OriginRowDecoder = Origin
    /// The type of the rows with the foreign key.
    public typealias RowDecoder = Destination

    /// The steps of the association.
    public var _sqlAssociation: _SQLAssociation

    init(to query: Query, key: String?, using foreignKey: ForeignKey?) {
        _sqlAssociation = .direct(
            to: query, key: key.map(AssociationKey.singular), foreignKey, isOrigin: false, isToOne: true)
    }
}

/// A to-many association in two steps: through one association, and using another one.
///
/// ```swift
/// struct Country: TableRecord {
///     static let passports = hasMany(Passport.self)
///     static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
/// }
/// let request = Country.including(all: Country.citizens)
/// ```
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
    /// The type of the rows at the beginning of the association.
    public typealias OriginRowDecoder = Origin
    /// The type of the associated rows.
    public typealias RowDecoder = Destination

    /// The steps of the association.
    public var _sqlAssociation: _SQLAssociation

    init(through pivot: some Association, using target: some Association) {
        _sqlAssociation = target._sqlAssociation.through(pivot._sqlAssociation)
    }
}

/// A to-one association in two steps: through one association, and using another one.
///
/// ```swift
/// struct Book: TableRecord {
///     static let library = belongsTo(Library.self)
///     static let returnAddress = hasOne(Address.self, through: library, using: Library.address)
/// }
/// let request = Book.including(required: Book.returnAddress)
/// ```
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
    /// The type of the rows at the beginning of the association.
    public typealias OriginRowDecoder = Origin
    /// The type of the associated rows.
    public typealias RowDecoder = Destination

    /// The steps of the association.
    public var _sqlAssociation: _SQLAssociation

    init(through pivot: some AssociationToOne, using target: some AssociationToOne) {
        _sqlAssociation = target._sqlAssociation.through(pivot._sqlAssociation)
    }
}

/// An association with the rows of a common table expression.
///
/// ```swift
/// let latest = CommonTableExpression<Void>(
///     named: "latest", request: Message.select(Column("chatId"), max(Column("date")).forKey("date"))
///         .group(Column("chatId")))
/// let association = Chat.association(to: latest, on: { chat, latest in
///     chat[Column("id")] == latest[Column("chatId")]
/// })
/// let request = Chat.with(latest).including(optional: association)
/// ```
///
/// Associations of common table expressions to tables are of this type too. They can be joined, but not
/// prefetched.
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
    /// The type of the rows at the beginning of the association.
    public typealias OriginRowDecoder = Origin
    /// The type of the rows of the common table expression.
    public typealias RowDecoder = Destination

    /// The steps of the association.
    public var _sqlAssociation: _SQLAssociation

    init(
        to query: Query,
        on condition: (@Sendable (TableAlias<Origin>, TableAlias<Destination>) -> any SQLExpressible)?
    ) {
        _sqlAssociation = _SQLAssociation(
            .init(
                key: .tableName(query.table),
                condition: .expression { left, right in
                    condition?(TableAlias(base: left), TableAlias(base: right)).sqlExpression
                },
                query: query, isToOne: true))
    }
}

extension _SQLAssociation {
    /// Returns an association by a foreign key.
    ///
    /// - Parameter isOrigin: Whether the foreign key is in the table at the beginning of the association.
    fileprivate static func direct(
        to query: Query, key: AssociationKey?, _ foreignKey: ForeignKey?, isOrigin: Bool, isToOne: Bool
    ) -> _SQLAssociation {
        _SQLAssociation(
            Step(
                key: key ?? .tableName(query.table),
                condition: .foreignKey(
                    ForeignKeyCondition(
                        destinationTable: query.table, foreignKey: foreignKey, isLeftOrigin: isOrigin)),
                query: query, isToOne: isToOne))
    }
}
