public import VigilEngine

extension Row {
    /// The rows of a request, one after the other. They are valid until the cursor moves on.
    ///
    /// - Precondition: the request prefetches no associated rows, which takes all rows.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> RowCursor {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        precondition(
            request.supplementaryFetch == nil,
            "a request that prefetches associated rows cannot be read by a cursor")
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// All rows of a request.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        let rows = try fetchAll(request.statement, adapter: request.adapter)
        try request.supplementaryFetch?(db, rows)
        return rows
    }

    /// All different rows of a request.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
        try Set(fetchAll(db, request))
    }

    /// The first row of a request, or `nil` if there is none.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        guard let row = try fetchOne(request.statement, adapter: request.adapter) else { return nil }
        try request.supplementaryFetch?(db, [row])
        return row
    }
}

extension FetchRequest where RowDecoder == Row {
    /// The rows, one after the other. They are valid until the cursor moves on.
    ///
    /// - Precondition: the request prefetches no associated rows, which takes all rows.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try Row.fetchCursor(db, self) }

    /// All rows.
    public func fetchAll(_ db: Database) throws -> [Row] { try Row.fetchAll(db, self) }

    /// All different rows.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try Row.fetchSet(db, self) }

    /// The first row, or `nil` if there is none.
    public func fetchOne(_ db: Database) throws -> Row? { try Row.fetchOne(db, self) }
}
