public import VigilEngine

extension FetchableRecord {
    /// Returns a cursor over the records of a request.
    ///
    /// - Precondition: The request does not prefetch associated rows. Prefetching needs all rows at once.
    /// - Throws: `DatabaseError` if the request cannot be prepared.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws
        -> RecordCursor<Self>
    {
        try RecordCursor(Row.fetchCursor(db, request))
    }

    /// Fetches all records of a request.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by `init(row:)`.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        guard let fetchMore = request.supplementaryFetch else {
            return try fetchAll(request.statement, adapter: request.adapter)
        }
        let rows = try Row.fetchAll(request.statement, adapter: request.adapter)
        try fetchMore(db, rows)
        return try rows.map(Self.init(row:))
    }

    /// Fetches the first record of a request, or returns `nil` if the request returns no rows.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by `init(row:)`.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        guard let fetchMore = request.supplementaryFetch else {
            return try fetchOne(request.statement, adapter: request.adapter)
        }
        guard let row = try Row.fetchOne(request.statement, adapter: request.adapter) else { return nil }
        try fetchMore(db, [row])
        return try Self(row: row)
    }
}

extension FetchableRecord where Self: Hashable {
    /// Fetches the distinct records of a request.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by `init(row:)`.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try Set(fetchAll(db, request))
    }
}

extension FetchRequest where RowDecoder: FetchableRecord {
    /// Returns a cursor over the records of the request.
    ///
    /// - Precondition: The request does not prefetch associated rows. Prefetching needs all rows at once.
    /// - Throws: `DatabaseError` if the request cannot be prepared.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches all records.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by the record's `init(row:)`.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// Fetches the first record, or returns `nil` if the request returns no rows.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by the record's `init(row:)`.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
    /// Fetches the distinct records.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by the record's `init(row:)`.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}
