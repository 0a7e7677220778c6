public import VigilEngine
public import VigilRegions

extension FetchRequest {
    /// The same request, whose rows have other columns.
    ///
    /// ```swift
    /// // One row of player, with the scope "team".
    /// let request = SQLRequest(sql: "SELECT player.*, team.* FROM …").adapted { db in
    ///     let count = try db.columns(in: "player").count
    ///     return ScopeAdapter(["team": SuffixRowAdapter(fromIndex: count)])
    /// }
    /// ```
    ///
    /// - Parameter adapter: called each time the request is run. Its adapter is given the columns that an adapter of
    ///   the request leaves.
    public func adapted(
        _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
    ) -> AdaptedFetchRequest<Self> {
        AdaptedFetchRequest(base: self, adapter: adapter)
    }
}

/// The request of ``FetchRequest/adapted(_:)``.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
    public typealias RowDecoder = Base.RowDecoder

    let base: Base
    let adapter: @Sendable (Database) throws -> any RowAdapter

    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool = false) throws
        -> PreparedRequest
    {
        var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
        let second = try adapter(db)
        request.adapter = request.adapter.map { ChainedAdapter(first: $0, second: second) } ?? second
        return request
    }

    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    /// What the request without the adapter reads.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try base.databaseRegion(db) }
}
