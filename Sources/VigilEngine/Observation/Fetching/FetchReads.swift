import VigilRegions
import VigilStorage

/// The reads of a fetch.
struct FetchReads: Sendable {
    var region = DatabaseRegion()
    /// A summary of the results; `nil` if the connection cannot summarize them, or if the value may also
    /// depend on something else.
    var digest: ResultDigest?
    /// The state of the list after the fetch; `nil` for other values.
    var list: ListSnapshot?
    /// The results of statements that are kept up to date.
    var live: [LiveFetch.Use] = []
}

extension Database {
    /// Runs `fetch`, and summarizes the results of its statements.
    ///
    /// A fetch that declares a region with ``registerAccess(to:)``, reads the schema, or handles the error of
    /// a statement, has no summary: it depends on more than the results of its statements.
    @inline(__always)  // bench: one-row-hit
    func digestingResults<T>(
        with digester: (any ResultDigesting)?, into digest: inout ResultDigest?, _ fetch: () throws -> T
    ) throws -> T {
        guard let digester else { return try fetch() }
        digester.beginResultDigest()
        do {
            let fetched = try fetch()
            digest = digester.endResultDigest()
            if fetchContext?.fetch.readsMore == true { digest = nil }
            return fetched
        } catch {
            _ = digester.endResultDigest()
            throw error
        }
    }
}
