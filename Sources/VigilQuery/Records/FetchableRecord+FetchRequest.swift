public import VigilEngine

extension FetchableRecord {
    /// The records of a request, one after the other.
    ///
    /// - Precondition: the request prefetches no associated rows, which takes all rows.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws
        -> RecordCursor<Self>
    {
        try RecordCursor(Row.fetchCursor(db, request))
    }

    /// All records of a request.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        guard let fetchMore = request.supplementaryFetch else {
            return try fetchAll(request.statement, adapter: request.adapter)
        }
        let rows = try Row.fetchAll(request.statement, adapter: request.adapter)
        try fetchMore(db, rows)
        return try rows.map(Self.init(row:))
    }

    /// The first record of a request, or `nil` if there is no row.
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
    /// All different records of a request.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        try Set(fetchAll(db, request))
    }
}

extension FetchRequest where RowDecoder: FetchableRecord {
    /// The records, one after the other.
    ///
    /// - Precondition: the request prefetches no associated rows, which takes all rows.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// All records.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// The first record, or `nil` if there is no row.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
    /// All different records.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}
