public import VigilEngine

/// A link between the rows of two tables.
///
/// Associations are defined as static properties, and joined or prefetched by requests:
///
/// ```swift
/// struct Author: TableRecord {
///     static let books = hasMany(Book.self)
/// }
///
/// struct Book: TableRecord {
///     static let author = belongsTo(Author.self)
/// }
///
/// let request = Book.including(required: Book.author)
/// ```
///
/// Associations are requests: they can be filtered, ordered, extended by other associations and so on:
///
/// ```swift
/// let request = Author.including(all: Author.books.filter(Column("price") < 10).order(Column("title")))
/// ```
///
/// An association with groups or distinct rows can be prefetched, but not joined. Fetching throws a
/// `DatabaseError` in this case.
public protocol Association: DerivableRequest, Sendable {
    /// The type of the rows at the beginning of the association.
    associatedtype OriginRowDecoder

    /// The steps of the association.
    var _sqlAssociation: _SQLAssociation { get set }

    /// Returns the association with another key: the name of its scopes, prefetched rows and aggregates.
    ///
    /// ```swift
    /// let request = Author
    ///     .including(all: Author.books.filter(Column("kind") == "novel").forKey("novels"))
    ///     .including(all: Author.books.filter(Column("kind") == "poems").forKey("poems"))
    /// ```
    func forKey(_ key: String) -> Self
}

extension Association {
    /// Returns the association with another key.
    public func forKey(_ codingKey: some CodingKey) -> Self { forKey(codingKey.stringValue) }

    var key: AssociationKey { _sqlAssociation.destination.key }

    private func with(_ change: (inout Query) -> Void) -> Self {
        var association = self
        change(&association._sqlAssociation.destination.query)
        return association
    }

    fileprivate func with(key: AssociationKey) -> Self {
        var association = self
        association._sqlAssociation.destination.key = key
        return association
    }
}

// MARK: - Requests

extension Association {
    /// The name of the destination table.
    public var databaseTableName: String { _sqlAssociation.destination.query.table }

    /// Returns an association with an alias for its table.
    public func _aliased(_ alias: TableAliasBase) -> Self { with { $0.aliases.append(alias) } }

    /// Returns an association with another selection, computed when the SQL is generated.
    public func selectWhenConnected(
        _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.select(selection) }
    }

    /// Returns an association with an extended selection, computed when the SQL is generated.
    public func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.annotate(with: selection) }
    }

    /// Returns an association filtered by another condition, computed when the SQL is generated.
    public func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.filter(predicate) }
    }

    /// Returns an association with another order, computed when the SQL is generated.
    ///
    /// A request joined with the association appends this order to its own.
    public func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self {
        with { $0.order(orderings) }
    }

    /// Returns an association with the opposite order. Without an order, it has no effect.
    public func reversed() -> Self { with { $0.isReversed.toggle() } }

    /// Returns an association without order, also in its joined associations.
    public func unordered() -> Self { with { $0 = $0.unordered() } }

    /// Returns an association with a deterministic order, by appending the primary key.
    public func withStableOrder() -> Self { with { $0 = $0.withStableOrder() } }

    /// Returns an association with other groups, computed when the SQL is generated.
    public func groupWhenConnected(
        _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
    ) -> Self {
        with { $0.group(expressions) }
    }

    /// Returns an association with groups filtered by another condition, computed when the SQL is generated.
    public func havingWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.having(predicate) }
    }

    /// Returns an association without duplicate rows.
    public func distinct() -> Self { with { $0.isDistinct = true } }

    /// Returns an association with access to a common table expression.
    public func with<T>(_ cte: CommonTableExpression<T>) -> Self { with { $0.define(cte.content) } }
}

// MARK: - Joins

extension Association {
    /// Returns an association that prefetches another one.
    public func _including(all association: _SQLAssociation) -> Self {
        with { $0.append(association, .prefetched) }
    }

    /// Returns an association with the rows of another one, if they exist.
    public func _including(optional association: _SQLAssociation) -> Self {
        with { $0.append(association, .optional) }
    }

    /// Returns an association with the rows of another one. Excludes rows without them.
    public func _including(required association: _SQLAssociation) -> Self {
        with { $0.append(association, .required) }
    }

    /// Returns an association joined with the rows of another one, if they exist.
    public func _joining(optional association: _SQLAssociation) -> Self {
        with { $0.join(association, .optional) }
    }

    /// Returns an association joined with the rows of another one. Excludes rows without them.
    public func _joining(required association: _SQLAssociation) -> Self {
        with { $0.join(association, .required) }
    }
}

// MARK: - Cardinality

/// An association that links each row to at most one row.
///
/// ```swift
/// struct Book: TableRecord {
///     static let author = belongsTo(Author.self)  // a to-one association
/// }
/// let request = Book.including(optional: Book.author)
/// ```
public protocol AssociationToOne: Association {}

extension AssociationToOne {
    /// Returns the association with another key.
    public func forKey(_ key: String) -> Self { with(key: .singular(key)) }
}

/// An association that links each row to any number of rows.
///
/// ```swift
/// struct Author: TableRecord {
///     static let books = hasMany(Book.self)  // a to-many association
/// }
/// let request = Author.including(all: Author.books)
/// let productive = Author.having(Author.books.count > 10)
/// ```
public protocol AssociationToMany: Association {}

extension AssociationToMany {
    /// Returns the association with another key.
    public func forKey(_ key: String) -> Self { with(key: .plural(key)) }
}
