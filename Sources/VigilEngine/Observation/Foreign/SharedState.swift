import VigilStorage

/// A state of a database with other writers.
struct SharedState {
    /// The token of changes by others.
    let token: Int64
    /// The state of the log, not a newer one; `nil` without a log.
    let log: LogState?
}

extension Database {
    /// Whether the ledger has all commits of other connections in the snapshot of this fetch. If it has not,
    /// rows found one by one may have a later state than the other ones.
    func knowsCommitsOfOthers(_ ledger: CommitLedger) -> Bool {
        if let coordinator { return coordinator.foreignCommits.knowsAll(self) }
        // Tokens of readers are other numbers.
        guard let embedded, connection.capabilities.allowsConcurrentReaders else { return true }
        // The writer stores its commit some microseconds after readers see it, unless its thread has to wait.
        let end = ContinuousClock.now + .milliseconds(250)
        repeat {
            // `nil` while the writer changes the state.
            // The writer may have stored a later commit since, so only the current state can be unknown.
            if let log = embedded.logState(), let isKnown = ledger.contains(log),
                isKnown || log == embedded.logState()
            {
                return isKnown
            }
            AccessThread.yield(for: .microseconds(10))
        } while ContinuousClock.now < end
        return false
    }

    /// Returns the current state; `nil` if the backend has no token.
    func sharedState() throws -> SharedState? {
        // Before the token: commits in between are then not missed. In a snapshot, the token does not change.
        let log = comparesLogs && embedded?.holdsSnapshot == false ? embedded?.logState() : nil
        let token = try storage { () throws(StorageError) in try connection.foreignChangeToken() }
        return token.map { SharedState(token: $0, log: log) }
    }

    /// Whether readers compare states of the log.
    private var comparesLogs: Bool {
        guard let coordinator, coordinator.ledger.observesLists else { return false }
        return coordinator.countsAllCommits && connection.capabilities.allowsConcurrentReaders
    }

    /// Records the rows of commits by others after an own commit, possibly with its own rows again.
    ///
    /// A fetch of an observer with write access makes commits that do not notify it.
    ///
    /// - Returns: The state after these commits, now known; `nil` if their rows are not known. The next
    ///   check notifies the observers then.
    func recordForeignRows(_ coordinator: CommitCoordinator) -> SharedState? {
        guard coordinator.needsForeignChanges, foreignChanges.token != nil, !foreignChanges.mustNotifyAll,
            fetchContext == nil, !isInsideTransaction, embedded?.holdsSnapshot == false,
            let commits = connection as? any ForeignCommitReading,
            commits.foreignCommitState == .precise, let first = try? sharedState()
        else { return nil }
        guard let state = recordRows(of: commits, after: first, coordinator) else {
            foreignChanges.mustNotifyAll = true
            return nil
        }
        foreignChanges.token = state.token
        foreignChanges.ownCommitsToExclude = ForeignChangeDetection.exclusionLimit
        return state
    }

    /// Records the rows of the commits up to a state or, for lists, until there are no newer commits.
    ///
    /// - Returns: The state; `nil` if their rows are not known.
    func recordRows(
        of commits: any ForeignCommitReading, after first: SharedState, _ coordinator: CommitCoordinator
    ) -> SharedState? {
        var state = first
        coordinator.beginChangesElsewhere()
        for search in 1...4 {
            commits.markCommits()
            if let reason = commits.reportMarkedCommits(to: { coordinator.didChangeElsewhere($0) }) {
                foreignChanges.precision?.didMissCommit(because: reason)
                coordinator.forgetChangesElsewhere()
                return nil
            }
            // Lists fetch all rows if they read an unreported commit.
            guard search < 4, coordinator.ledger.observesLists,
                let newer = try? sharedState(), newer.token != state.token
            else { break }
            state = newer
        }
        return state
    }
}
