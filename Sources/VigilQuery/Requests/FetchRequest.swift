public import VigilEngine
public import VigilRegions

/// A question that can be asked of a database again and again, and what its rows are decoded to.
///
/// ```swift
/// let request: SQLRequest<String> = "SELECT name FROM player ORDER BY score DESC"
/// let names = try dbQueue.read(request.fetchAll)
/// let observation = ValueObservation.tracking(request.fetchAll)
/// ```
///
/// ``RowDecoder`` decides what the request fetches: rows, values, or records.
public protocol FetchRequest<RowDecoder>: SQLSubqueryable, DatabaseRegionConvertible {
    /// What the rows are decoded to.
    associatedtype RowDecoder

    /// The statement to run, with its arguments, and what changes the columns of its rows.
    ///
    /// - Parameter singleResult: whether only the first row will be read, which the statement may make use of.
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest

    /// The number of rows that the request fetches.
    func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
    /// What the request reads, as its statement tells: of a table whose rows must meet conditions, only those that do.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try makePreparedRequest(db, forSingleResult: false).statement.boundRegion
    }

    /// The number of rows, as the database counts them.
    public func fetchCount(_ db: Database) throws -> Int {
        try SQLRequest<Int>("SELECT COUNT(*) FROM (\(self))").fetchOne(db) ?? 0
    }
}

/// A request that is ready to be run.
public struct PreparedRequest {
    /// The statement, with its arguments.
    public var statement: Statement
    /// What changes the columns of its rows.
    public var adapter: (any RowAdapter)?
    /// Fetches what goes along with the rows, into their ``Row/prefetchedRows``.
    package var supplementaryFetch: ((Database, [Row]) throws -> Void)?

    public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.statement = statement
        self.adapter = adapter
    }
}

@available(*, unavailable)
extension PreparedRequest: Sendable {}
