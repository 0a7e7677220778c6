public import VigilEngine

// Values decoded from a `DatabaseValue`.
extension DatabaseValueConvertible {
    /// Returns a cursor over the values in the first column of a request.
    ///
    /// - Throws: `DatabaseError` if the request fails. Iterating the cursor throws `RowDecodingError` if a
    ///   value cannot be converted.
    public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws
        -> DatabaseValueCursor<Self>
    {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches all values in the first column of a request.
    ///
    /// - Throws: `DatabaseError` if the request fails; `RowDecodingError` if a value cannot be converted.
    ///   NULL can be converted only to optional types.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first value in the first column of a request. Returns `nil` if there are no rows, or if
    /// the value is NULL.
    ///
    /// If the type is optional, the result is `nil` without rows, and `.some(nil)` for NULL.
    ///
    /// - Throws: `DatabaseError` if the request fails; `RowDecodingError` if the value cannot be converted.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// Fetches the distinct values in the first column of a request.
    ///
    /// - Throws: `DatabaseError` if the request fails; `RowDecodingError` if a value cannot be converted.
    ///   NULL can be converted only to optional types.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
    }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// Returns a cursor over the values in the first column of the request.
    ///
    /// - Throws: `DatabaseError` if the request fails. Iterating the cursor throws `RowDecodingError` if a
    ///   value cannot be converted.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches all values in the first column of the request.
    ///
    /// - Throws: `DatabaseError` if the request fails; `RowDecodingError` if a value cannot be converted.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try RowDecoder.fetchAll(db, self) }

    /// Fetches the first value in the first column of the request. Returns `nil` if there are no rows, or if
    /// the value is NULL.
    ///
    /// If the type is optional, the result is `nil` without rows, and `.some(nil)` for NULL.
    ///
    /// - Throws: `DatabaseError` if the request fails; `RowDecodingError` if the value cannot be converted.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Hashable {
    /// Fetches the distinct values in the first column of the request.
    ///
    /// - Throws: `DatabaseError` if the request fails; `RowDecodingError` if a value cannot be converted.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try RowDecoder.fetchSet(db, self) }
}
