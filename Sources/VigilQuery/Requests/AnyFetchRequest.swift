public import VigilEngine
public import VigilRegions

/// A type-erased request.
///
/// ```swift
/// func players(byName: Bool) -> AnyFetchRequest<Player> {
///     byName
///         ? AnyFetchRequest(SQLRequest<Player>("SELECT * FROM player ORDER BY name"))
///         : AnyFetchRequest(SQLRequest<Player>("SELECT * FROM player"))
/// }
/// ```
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
    private let request: any FetchRequest

    /// Creates a wrapper around a request.
    public init(_ request: some FetchRequest<RowDecoder>) {
        self.init(erasing: request)
    }

    private init(erasing request: any FetchRequest) {
        self.request = (request as? any ErasedRequest)?.erased ?? request
    }

    /// Returns a request with the same SQL, and rows decoded as another type.
    public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> {
        AnyFetchRequest<T>(erasing: request)
    }

    /// The subquery of the wrapped request.
    public var sqlSubquery: SQLSubquery { request.sqlSubquery }

    /// Prepares the wrapped request.
    ///
    /// - Throws: The error of the wrapped request.
    public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool = false) throws
        -> PreparedRequest
    {
        try request.makePreparedRequest(db, forSingleResult: singleResult)
    }

    /// Fetches the number of rows.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public func fetchCount(_ db: Database) throws -> Int { try request.fetchCount(db) }

    /// Returns the region of the wrapped request.
    ///
    /// - Throws: `DatabaseError` if the request cannot be prepared.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try request.databaseRegion(db) }
}

/// Exposes the wrapped request, so wrapping a wrapper does not nest.
private protocol ErasedRequest {
    var erased: any FetchRequest { get }
}

extension AnyFetchRequest: ErasedRequest {
    var erased: any FetchRequest { request }
}
