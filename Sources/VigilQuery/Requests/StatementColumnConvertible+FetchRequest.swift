public import VigilEngine

// Values that are read in place. The loops are specialised where they are called.
extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// The values of a request's first column, one after the other.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws
        -> FastDatabaseValueCursor<Self>
    {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// The values of a request's first column.
    @inlinable  // bench: decode-rows
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// The first value of a request; `nil` if there is no row, or if the value is NULL.
    ///
    /// For an optional type the two differ: `nil` is no row, and `.some(nil)` is NULL.
    @inlinable  // bench: decode-rows
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
    /// The different values of a request's first column.
    @inlinable  // bench: decode-rows
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible {
    /// The values, one after the other.
    public func fetchCursor(_ db: Database) throws -> FastDatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// The values.
    @inlinable  // bench: decode-rows
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// The first value; `nil` if there is no row, or if the value is NULL.
    ///
    /// For an optional type the two differ: `nil` is no row, and `.some(nil)` is NULL.
    @inlinable  // bench: decode-rows
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible & Hashable {
    /// The different values.
    @inlinable  // bench: decode-rows
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}
