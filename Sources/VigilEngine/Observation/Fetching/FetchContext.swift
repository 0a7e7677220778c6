/// The circumstances of a running fetch, for the code that it calls.
///
/// The fetches of a round share the snapshot and have the rest for themselves.
struct FetchContext {
    /// The part that belongs to one fetch.
    struct Fetch {
        /// The list to fetch; `nil` for other values.
        var list: ListFetchContext?
        /// The results to take from memory; `nil` if all statements run.
        var live: LiveFetch?
        /// Whether the region of the fetch is observed until the observation ends, and must not depend on
        /// fetched values.
        var recordsConstantRegion = false
        /// Whether the fetch depends on more than the results of its statements: it has declared a region
        /// with ``Database/registerAccess(to:)``, read the schema, or handled the error of a statement.
        var readsMore = false
    }

    /// The values fetched so far from the snapshot; `nil` if no other observer fetches from it.
    var sharedFetches: SharedFetches?
    /// Whether the access only fetches for observations, so that cancelling one may interrupt its statements.
    var isInterruptible = false
    /// Whether a fetch is repeated later if the database cannot be read now. Otherwise, the observation ends.
    var isRepeatable = false
    /// Whether commits of other connections after the snapshot are detected. See
    /// ``CommitLedger/detectsForeignCommits``.
    var detectsForeignCommits = false
    /// The commits of the database, for fetches on readers; `nil` on its writer, and if their changes are
    /// not complete.
    var ledger: CommitLedger?
    var fetch = Fetch()

    fileprivate mutating func exchange(_ fetch: inout Fetch) { swap(&self.fetch, &fetch) }
}

// The contexts are exchanged rather than copied.
extension Database {
    /// See ``FetchContext/Fetch/recordsConstantRegion``.
    package var recordsConstantRegion: Bool { fetchContext?.fetch.recordsConstantRegion ?? false }

    /// Runs `body` as a fetch.
    @inline(__always)  // bench: one-row-hit
    func fetching<T>(_ fetch: FetchContext.Fetch, _ body: () throws -> T) rethrows -> T {
        let isOutermost = fetchContext == nil
        if isOutermost { fetchContext = FetchContext() }
        var fetch = fetch
        fetchContext?.exchange(&fetch)
        defer { if isOutermost { fetchContext = nil } else { fetchContext?.exchange(&fetch) } }
        return try body()
    }

    /// Runs `body`, which fetches for `count` observers from one snapshot. Observers with equal fetch keys
    /// share a fetch, and observers with the same queue a block for their deliveries.
    func sharingFetches<T>(
        among count: Int, _ context: FetchContext = FetchContext(), _ body: () throws -> T
    ) rethrows -> T {
        var outer: FetchContext? = context
        swap(&fetchContext, &outer)
        defer { swap(&fetchContext, &outer) }
        guard count > 1, outer?.sharedFetches == nil else {
            fetchContext?.sharedFetches = outer?.sharedFetches
            return try body()
        }
        let shared = SharedFetches()
        defer { shared.deliveries.end() }
        fetchContext?.sharedFetches = shared
        return try body()
    }
}
