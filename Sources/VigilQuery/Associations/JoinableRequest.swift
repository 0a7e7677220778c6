import VigilEngine

/// A request that can join associations, or prefetch their rows.
///
/// ```swift
/// // SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorId
/// let request = Book.including(required: Book.author)
/// ```
///
/// | method | associated rows | rows without associated row |
/// |---|---|---|
/// | `including(required:)` | selected | excluded |
/// | `including(optional:)` | selected | included |
/// | `joining(required:)` | not selected | excluded |
/// | `joining(optional:)` | not selected | included |
/// | `including(all:)` | fetched by another statement | included |
public protocol JoinableRequest<RowDecoder>: TypedRequest {
    /// Returns a request that prefetches an association.
    func _including(all association: _SQLAssociation) -> Self

    /// Returns a request with the rows of an association, if they exist.
    func _including(optional association: _SQLAssociation) -> Self

    /// Returns a request with the rows of an association. Excludes rows without associated rows.
    func _including(required association: _SQLAssociation) -> Self

    /// Returns a request joined with the rows of an association, if they exist.
    func _joining(optional association: _SQLAssociation) -> Self

    /// Returns a request joined with the rows of an association. Excludes rows without associated rows.
    func _joining(required association: _SQLAssociation) -> Self
}

extension JoinableRequest {
    /// Returns a request that prefetches an association: one other statement fetches all associated rows.
    ///
    /// ```swift
    /// struct AuthorInfo: FetchableRecord, Decodable {
    ///     var author: Author
    ///     var books: [Book]
    /// }
    /// let infos = try AuthorInfo.fetchAll(db, Author.including(all: Author.books))
    /// ```
    public func including<A: AssociationToMany>(all association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        _including(all: association._sqlAssociation)
    }

    /// Returns a request with the rows of an association. Its columns are NULL for rows without an associated
    /// row.
    ///
    /// ```swift
    /// struct BookInfo: FetchableRecord, Decodable {
    ///     var book: Book
    ///     var author: Author?
    /// }
    /// let infos = try BookInfo.fetchAll(db, Book.including(optional: Book.author))
    /// ```
    public func including<A: Association>(optional association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        _including(optional: association._sqlAssociation)
    }

    /// Returns a request with the rows of an association. Excludes rows without an associated row.
    ///
    /// ```swift
    /// struct BookInfo: FetchableRecord, Decodable {
    ///     var book: Book
    ///     var author: Author
    /// }
    /// let infos = try BookInfo.fetchAll(db, Book.including(required: Book.author))
    /// ```
    public func including<A: Association>(required association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        _including(required: association._sqlAssociation)
    }

    /// Returns a request joined with the rows of an association, without selecting them.
    ///
    /// ```swift
    /// let author = TableAlias()
    /// let request = Book
    ///     .joining(optional: Book.author.aliased(author))
    ///     .order(author[Column("name")])
    /// ```
    public func joining<A: Association>(optional association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        _joining(optional: association._sqlAssociation)
    }

    /// Returns a request joined with the rows of an association, without selecting them. Excludes rows
    /// without an associated row.
    ///
    /// ```swift
    /// let frenchBooks = Book.joining(required: Book.author.filter(Column("country") == "FR"))
    /// ```
    public func joining<A: Association>(required association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        _joining(required: association._sqlAssociation)
    }
}

extension JoinableRequest where Self: SelectionRequest {
    /// Returns a request with the columns of an association among its own. They are NULL for rows without an
    /// associated row.
    ///
    /// ```swift
    /// // SELECT book.*, author.name FROM book LEFT JOIN author ON author.id = book.authorId
    /// let request = Book.annotated(withOptional: Book.author.select(Column("name")))
    /// ```
    public func annotated<A: Association>(withOptional association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        let alias = TableAliasBase(name: nil)
        return _joining(optional: association._aliased(alias)._sqlAssociation)
            .annotated(withSelectionOf: association._sqlAssociation, alias)
    }

    /// Returns a request with the columns of an association among its own. Excludes rows without an
    /// associated row.
    public func annotated<A: Association>(withRequired association: A) -> Self
    where A.OriginRowDecoder == RowDecoder {
        let alias = TableAliasBase(name: nil)
        return _joining(required: association._aliased(alias)._sqlAssociation)
            .annotated(withSelectionOf: association._sqlAssociation, alias)
    }

    private func annotated(withSelectionOf association: _SQLAssociation, _ alias: TableAliasBase) -> Self {
        let selection = association.destination.query.selection
        return annotatedWhenConnected { db in
            db.didNotCallApp()
            return try selection.flatMap { try $0.resolve(db) }.map { $0.of(alias) }
        }
    }
}

extension QueryInterfaceRequest: JoinableRequest {
    /// Returns a request that prefetches an association.
    public func _including(all association: _SQLAssociation) -> Self {
        with { $0.append(association, .prefetched) }
    }

    /// Returns a request with the rows of an association, if they exist.
    public func _including(optional association: _SQLAssociation) -> Self {
        with { $0.append(association, .optional) }
    }

    /// Returns a request with the rows of an association. Excludes rows without associated rows.
    public func _including(required association: _SQLAssociation) -> Self {
        with { $0.append(association, .required) }
    }

    /// Returns a request joined with the rows of an association, if they exist.
    public func _joining(optional association: _SQLAssociation) -> Self {
        with { $0.join(association, .optional) }
    }

    /// Returns a request joined with the rows of an association. Excludes rows without associated rows.
    public func _joining(required association: _SQLAssociation) -> Self {
        with { $0.join(association, .required) }
    }
}
