public import VigilEngine
public import VigilRegions

extension FetchRequest {
    /// Returns a request with adapted columns.
    ///
    /// ```swift
    /// // Rows of player, with the scope "team".
    /// let request = SQLRequest(sql: "SELECT player.*, team.* FROM …").adapted { db in
    ///     let count = try db.columns(in: "player").count
    ///     return ScopeAdapter(["team": SuffixRowAdapter(fromIndex: count)])
    /// }
    /// ```
    ///
    /// - Parameter adapter: a closure called each time the request is prepared. If the request already has an
    ///   adapter, the returned adapter applies to the adapted columns.
    public func adapted(
        _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
    ) -> AdaptedFetchRequest<Self> {
        AdaptedFetchRequest(base: self, adapter: adapter)
    }
}

/// A request with adapted columns, created by ``FetchRequest/adapted(_:)``.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
    /// The type rows are decoded as: the type of the base request.
    public typealias RowDecoder = Base.RowDecoder

    let base: Base
    let adapter: @Sendable (Database) throws -> any RowAdapter

    /// The subquery of the base request.
    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    /// Prepares the base request, and calls the adapter closure.
    ///
    /// - Throws: The error of the base request or of the closure.
    public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool = false) throws
        -> PreparedRequest
    {
        var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
        let second = try adapter(db)
        request.adapter = request.adapter.map { ChainedAdapter(first: $0, second: second) } ?? second
        return request
    }

    /// Fetches the number of rows. Adapters do not change it.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    /// Returns the region of the base request. Adapters do not change it.
    ///
    /// - Throws: `DatabaseError` if the request cannot be prepared.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try base.databaseRegion(db) }
}
