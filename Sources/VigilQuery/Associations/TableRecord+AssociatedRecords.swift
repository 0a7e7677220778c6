import VigilEngine

extension TableRecord where Self: EncodableRecord {
    /// Returns the request for the associated rows of the record.
    ///
    /// ```swift
    /// struct Author: TableRecord, EncodableRecord {
    ///     static let books = hasMany(Book.self)
    ///     var books: QueryInterfaceRequest<Book> { request(for: Author.books) }
    /// }
    /// let books = try author.books.order(Column("title")).fetchAll(db)
    /// ```
    ///
    /// The request uses the values of the record at the time of the call. Fetching throws the error of
    /// encoding them, and a `DatabaseError` for associations of common table expressions.
    public func request<A: Association>(for association: A) -> QueryInterfaceRequest<A.RowDecoder>
    where A.OriginRowDecoder == Self {
        let values = Result { try PersistenceContainer(self) }
        let table = Self.databaseTableName
        let name = association._sqlAssociation.pivot.keyName
        let condition = association._sqlAssociation.pivot.condition
        let linkedTable = association._sqlAssociation.pivot.query.table
        let linked = association._sqlAssociation.with {
            $0.pivot.query.filters.append(
                .deferred { db in
                    guard case .foreignKey(let key) = condition else {
                        throw DatabaseError(
                            resultCode: .SQLITE_MISUSE,
                            message:
                                "the association \(name) has no foreign key: join it to a request instead")
                    }
                    let columns = try key.columns(db, from: table)
                    let container = try values.get()
                    let comparison = try KeyComparison(columns, left: table, right: linkedTable, db)
                    let stored = comparison.stored(columns.map { container.databaseValue(of: $0.left) })
                    return PrefetchKeys([comparison.compared(stored)]).condition(
                        columns.map(\.right), converting: comparison.conversions)
                })
        }
        return QueryInterfaceRequest(linked.destinationQuery())
    }
}
