public import VigilEngine
public import VigilRegions
import VigilStorage

/// A query, and the type its rows are decoded as.
///
/// ```swift
/// let request: SQLRequest<String> = "SELECT name FROM player ORDER BY score DESC"
/// let names = try dbQueue.read(request.fetchAll)
/// let observation = ValueObservation.tracking(request.fetchAll)
/// ```
///
/// The ``RowDecoder`` determines whether the request fetches rows, values or records.
public protocol FetchRequest<RowDecoder>: SQLSubqueryable, DatabaseRegionConvertible {
    /// The type rows are decoded as.
    associatedtype RowDecoder

    /// Returns the statement to run, with its arguments, and the adapter of its rows.
    ///
    /// - Parameters:
    ///   - db: the database to run the statement on.
    ///   - singleResult: whether only the first row will be read. The statement may take advantage of it.
    /// - Throws: `DatabaseError` if the SQL does not compile, or if arguments are missing.
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest

    /// Fetches the number of rows of the request.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
    /// Returns the region read by the statement. If the query restricts the rows of a table by conditions,
    /// the region contains only the rows satisfying them.
    ///
    /// The region includes prefetched associations. They are not restricted by keys, because the keys are
    /// unknown before the request is fetched.
    ///
    /// - Throws: `DatabaseError` if the request cannot be prepared.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try makePreparedRequest(db, forSingleResult: false).statement.requestRegion()
    }

    /// Fetches the number of rows, with `SELECT COUNT(*)`.
    ///
    /// - Throws: `DatabaseError` if the request fails.
    public func fetchCount(_ db: Database) throws -> Int {
        let suffix = db.dialect.unnamedSubquerySuffix
        return try SQLRequest<Int>("SELECT COUNT(*) FROM (\(self))\(sql: suffix)").fetchOne(db) ?? 0
    }
}

/// A request ready to run: a statement, and the adapter of its rows.
public struct PreparedRequest {
    /// The statement, with its arguments set.
    public var statement: Statement
    /// The adapter of the statement's rows; `nil` if they are not adapted.
    public var adapter: (any RowAdapter)?
    /// Fetches associated rows into the ``Row/prefetchedRows`` of the fetched rows.
    package var supplementaryFetch: ((Database, [Row]) throws -> Void)?
    /// Returns the requests of the rows that ``supplementaryFetch`` fetches for some rows, by the keys of
    /// their associations.
    var prefetchedRequests: ((Database, [Row]) throws -> [PrefetchedRequests])?

    /// Creates a prepared request.
    public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.statement = statement
        self.adapter = adapter
    }
}

@available(*, unavailable)
extension PreparedRequest: Sendable {}
