/// The circumstances of a running fetch, for the code that it calls.
///
/// The fetches of a round share the snapshot and have the rest for themselves.
struct FetchContext {
    // MARK: - The snapshot

    /// The values fetched so far from the snapshot; `nil` if no other observer fetches from it.
    var sharedFetches: SharedFetches?
    /// Whether the access only fetches for observations, so that cancelling one may interrupt its statements.
    var isInterruptible = false
    /// Whether a fetch is repeated later if the server cannot be read now. Otherwise, the observation ends.
    var isRepeatable = false
    /// Whether commits of other connections after the snapshot are detected. See
    /// ``CommitLedger/detectsForeignCommits``.
    var detectsForeignCommits = false

    // MARK: - The fetch

    /// The list to fetch; `nil` for other values.
    var list: ListFetchContext?
    /// Whether the region of the fetch is observed until the observation ends, and must not depend on fetched
    /// values.
    var recordsConstantRegion = false
    /// Whether the fetch has declared a region with ``Database/registerAccess(to:)``.
    var declaresRegion = false
}

extension Database {
    /// See ``FetchContext/recordsConstantRegion``.
    package var recordsConstantRegion: Bool { fetchContext?.recordsConstantRegion ?? false }

    /// Runs `body`, which changes the context of the fetches that it runs, and restores the context
    /// afterwards.
    @inline(__always)  // bench: one-row-hit
    func changingFetchContext<T>(
        _ change: (inout FetchContext) -> Void, during body: () throws -> T
    ) rethrows -> T {
        let outer = fetchContext
        var context = outer ?? FetchContext()
        change(&context)
        fetchContext = context
        defer { fetchContext = outer }
        return try body()
    }

    /// Runs `body`, which fetches for `count` observers from one snapshot. Observers with equal fetch keys
    /// share a fetch, and observers with the same queue a block for their deliveries.
    func sharingFetches<T>(
        among count: Int, _ context: FetchContext = FetchContext(), _ body: () throws -> T
    ) rethrows -> T {
        let outer = fetchContext
        defer { fetchContext = outer }
        var context = context
        context.sharedFetches = outer?.sharedFetches
        guard count > 1, outer?.sharedFetches == nil else {
            fetchContext = context
            return try body()
        }
        let shared = SharedFetches()
        defer { shared.deliveries.end() }
        context.sharedFetches = shared
        fetchContext = context
        return try body()
    }
}
