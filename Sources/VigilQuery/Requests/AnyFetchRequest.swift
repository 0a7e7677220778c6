public import VigilEngine
public import VigilRegions

/// A request whose kind is hidden.
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
    private let request: any FetchRequest

    /// The same request.
    public init(_ request: some FetchRequest<RowDecoder>) {
        self.init(erasing: request)
    }

    private init(erasing request: any FetchRequest) {
        self.request = (request as? any ErasedRequest)?.erased ?? request
    }

    /// The same request, decoded to something else.
    public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> {
        AnyFetchRequest<T>(erasing: request)
    }

    public var sqlSubquery: SQLSubquery { request.sqlSubquery }

    public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool = false) throws
        -> PreparedRequest
    {
        try request.makePreparedRequest(db, forSingleResult: singleResult)
    }

    public func fetchCount(_ db: Database) throws -> Int { try request.fetchCount(db) }

    /// What the hidden request reads.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try request.databaseRegion(db) }
}

/// Lets a request that hides one hand it over, so that they do not pile up.
private protocol ErasedRequest {
    var erased: any FetchRequest { get }
}

extension AnyFetchRequest: ErasedRequest {
    var erased: any FetchRequest { request }
}
