import Synchronization
import VigilRegions
import VigilStorage

extension ValueObserver {
    func fetch(_ db: Database, at commit: CommitNumber, because change: MatchedChange?) -> ObserverFetch {
        let answer = state.withLock { state in
            state.counts.willFetch(at: commit)
            return state.machine.willFetch(at: commit)
        }
        switch answer {
        case .fetch: break
        case .skip:
            if change == nil { initialFetchIsDelayed() }
            return ObserverFetch(renewal: .unchanged)
        case .unregister: return ObserverFetch(renewal: .ended)
        }
        let interruptionCount = db.suspension.interruptionCount
        do {
            var reads = FetchReads()
            let fetched = try fetch(db, at: commit, &reads)
            let (digest, list) = (reads.digest, reads.list)
            let renewal = try renewal(reads.region, isFirst: change == nil, db)
            let batch = db.fetchContext?.sharedFetches?.deliveries
            return ObserverFetch(renewal: renewal) { [self] in
                if case .observes(let region) = renewal { willTrack(region) }
                didFetch(fetched, digest: digest, list: list, at: commit, in: batch)
            }
        } catch {
            if db.fetchContext?.isRepeatable == true,
                error.isTransient || db.isInterruptedByCancellation(error)
                    || db.isInterruptedBySuspension(error, since: interruptionCount)
                    || db.isTableLockedElsewhere(error),
                let pause = postponeFetch(after: error)
            {
                return ObserverFetch(renewal: .postponed(error, pause: pause))
            }
            fail(db.observationError(error))
            return ObserverFetch(renewal: .ended)
        }
    }

    /// Handles a pause that began before the initial fetch.
    private func initialFetchIsDelayed() {
        state.withLock { state in
            if let host = state.host { state.didDelayInitialFetch(in: host) }
        }
    }

    private func willTrack(_ region: DatabaseRegion) {
        let last = state.withLock { state in
            defer { state.region = region }
            return state.region
        }
        // Conditions can differ after every fetch, and are not described.
        guard last != region, last?.described != region.described else { return }
        settings.events.willTrackRegion(region)
        log("tracks \(region)")
    }

    /// - Parameter reads: Set to the reads of the fetch. The type of a tuple would have to be looked up each
    ///   time.
    private func fetch(_ db: Database, at commit: CommitNumber, _ reads: inout FetchReads) throws
        -> Reducer.Fetched
    {
        guard !mayWrite, let shared = db.fetchContext?.sharedFetches, let key = try settings.key(db) else {
            return try fetchUnshared(db, at: commit, &reads)
        }
        if let known = shared.fetched(key, as: Reducer.Fetched.self) {
            let monitor = state.withLock { state in
                state.counts.didShareFetch(at: commit)
                state.slowFetch = known.isSlow ? SlowFetch(key: key) : nil
                return state.monitor
            }
            monitor?.didShareFetch()
            reads = known.reads
            if let list = reads.list { adopt(list) }
            didUse(reads.live)
            return known.value
        }
        let fetched = try fetchUnshared(db, at: commit, &reads)
        shared.store(fetched, reads, isSlow: slowFetch != nil, for: key)
        return fetched
    }

    private func fetchUnshared(
        _ db: Database, at commit: CommitNumber, _ reads: inout FetchReads
    ) throws -> Reducer.Fetched {
        db.fetchContext?.sharedFetches?.deliveries.flush()
        settings.events.willFetch()
        let begin = settings.options.timer.now
        let list = listFetch(at: commit)
        let live = liveFetch(at: commit, db)
        var fetch = FetchContext.Fetch(list: list, live: live)
        if case .firstFetched = settings.tracking { fetch.recordsConstantRegion = true }
        var boundsResults = false
        if case .fetched = settings.tracking, !mayWrite { boundsResults = true }
        let fetched = try db.fetching(fetch) {
            let fetched = try interruptible(db) {
                try db.digestingResults(with: mayWrite ? nil : db.roles.digester, into: &reads.digest) {
                    try db.recording(&reads.region, boundsResults: boundsResults) { try runFetch(db) }
                }
            }
            reads.list = db.fetchContext?.fetch.list?.result
            reads.live = db.fetchContext?.fetch.live?.uses ?? []
            return fetched
        }
        if list != nil { state.withLock { $0.listBase.didFetch() } }
        if !reads.live.isEmpty || live?.last.isEmpty == false { didUse(reads.live) }
        try didFetch(in: begin.duration(to: settings.options.timer.now), at: commit, db)
        return fetched
    }

    /// Returns the circumstances of the fetch of a list; `nil` for other values.
    private func listFetch(at commit: CommitNumber) -> ListFetchContext? {
        guard settings.options.makeListMemory != nil else { return nil }
        let (memory, base) = state.withLock { ($0.list, $0.listBase) }
        return memory.map {
            ListFetchContext(memory: $0, base: base, commit: commit, mayWrite: mayWrite)
        }
    }

    /// Returns the results that a fetch may take from memory; `nil` if all statements run.
    private func liveFetch(at commit: CommitNumber, _ db: Database) -> LiveFetch? {
        // A list measures the cost of its own statements.
        guard !mayWrite, settings.options.makeListMemory == nil, db.configuration.keepsLiveResults,
            let ledger = db.fetchContext?.ledger ?? db.coordinator?.ledger
        else { return nil }
        // Without results, the observation uses none either (bench: one-row-hit).
        if ledger.liveResults.isEmpty {
            return LiveFetch(ledger: ledger, commit: commit, base: ListBase(), last: [], isInitial: false)
        }
        let (base, uses, isInitial) = state.withLock { state in
            (state.listBase, state.live, state.counts.lastCommit == nil)
        }
        // Other regions need not contain what the statements read, so commits outside of them matter.
        let last = if case .fetched = settings.tracking { uses } else { [LiveFetch.Use]() }
        return LiveFetch(ledger: ledger, commit: commit, base: base, last: last, isInitial: isInitial)
    }

    /// Retains the results that a fetch has used, and releases others.
    private func didUse(_ results: [LiveFetch.Use]) {
        let released = state.withLock { state in
            let last = state.live
            state.live = results
            if !results.isEmpty { state.listBase.didFetch() }
            return last
        }
        // Release results outside of the lock.
        withExtendedLifetime(released) {}
    }

    private func runFetch(_ db: Database) throws -> Reducer.Fetched {
        try mayWrite ? runWritingFetch(db) : db.inReadOnlySnapshot { try reducer._fetch(db) }
    }

    // Not inlined: it would look up the type of an optional for fetches that only read.
    @inline(never)
    private func runWritingFetch(_ db: Database) throws -> Reducer.Fetched {
        var fetched: Reducer.Fetched?
        var isReading = false
        do {
            try db.inSavepoint {
                isReading = true
                fetched = try reducer._fetch(db)
                isReading = false
                return .commit
            }
        } catch let error as DatabaseError where !isReading && db.isLockedElsewhere(error) {
            // The transaction could not begin or commit. A lock during the fetch can be of any database.
            throw error.transient
        }
        // A savepoint that does not throw has run its body.
        return try fetched.orThrow()
    }

    /// Runs a fetch that ``cancel()`` interrupts, provided that the connection runs no statements of other
    /// callers.
    private func interruptible<T>(_ db: Database, _ fetch: () throws -> T) throws -> T {
        guard db.fetchContext?.isInterruptible == true, db.cancellation == nil else { return try fetch() }
        let interruption = AccessCancellation(interrupter: db.connection.interrupter)
        let isEnded = state.withLock { state in
            state.interruption = interruption
            return state.machine.isEnded
        }
        db.cancellation = interruption
        defer {
            db.cancellation = nil
            state.withLock { $0.interruption = nil }
            interruption.end()
        }
        if isEnded { throw CancellationError() }
        return try fetch()
    }
}

extension Optional {
    /// Returns the wrapped value.
    ///
    /// - Throws: `SQLITE_INTERNAL` if it is `nil`.
    fileprivate func orThrow() throws -> Wrapped {
        guard let self else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return self
    }
}
