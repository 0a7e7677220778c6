public import VigilEngine
import VigilStorage

extension Row {
    /// Returns a cursor over the rows of a request. Each row is valid until the cursor advances.
    ///
    /// - Precondition: The request does not prefetch associated rows. Prefetching needs all rows at once.
    /// - Throws: `DatabaseError` if the request cannot be prepared. The cursor throws if running it fails.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RowCursor {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        trap(
            unless: request.supplementaryFetch == nil,
            "a request that prefetches associated rows cannot return a cursor: use fetchAll")
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches all rows of a request.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        let rows = try fetchAll(request.statement, adapter: request.adapter)
        try request.supplementaryFetch?(db, rows)
        return rows
    }

    /// Fetches the distinct rows of a request.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
        try Set(fetchAll(db, request))
    }

    /// Fetches the first row of a request. Returns `nil` if there are no rows.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        guard let row = try fetchOne(request.statement, adapter: request.adapter) else { return nil }
        try request.supplementaryFetch?(db, [row])
        return row
    }
}

extension FetchRequest where RowDecoder == Row {
    /// Returns a cursor over the rows. Each row is valid until the cursor advances.
    ///
    /// - Precondition: The request does not prefetch associated rows. Prefetching needs all rows at once.
    /// - Throws: `DatabaseError` if the request cannot be prepared. The cursor throws if running it fails.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try Row.fetchCursor(db, self) }

    /// Fetches all rows.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public func fetchAll(_ db: Database) throws -> [Row] { try Row.fetchAll(db, self) }

    /// Fetches the distinct rows.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try Row.fetchSet(db, self) }

    /// Fetches the first row. Returns `nil` if there are no rows.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public func fetchOne(_ db: Database) throws -> Row? { try Row.fetchOne(db, self) }
}
