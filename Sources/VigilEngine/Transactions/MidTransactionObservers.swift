import VigilRegions

/// Observers started during a transaction: its previous changes, or their rollback, may affect them.
struct MidTransactionObservers {
    /// Observers that have read uncommitted changes.
    private var haveRead: [ObserverID] = []
    /// Whether a rollback may have undone changes read by these observers.
    private var isUndone = false
    /// Observers whose region the transaction may have modified before they started.
    private var missedChange: [ObserverID] = []

    /// Records that an observer has read uncommitted changes. If they are rolled back, it must fetch again.
    mutating func didRead(_ id: ObserverID) {
        haveRead.append(id)
    }

    /// Records that an observer started after a change of its region. The commit makes it stale.
    mutating func didMissChange(_ id: ObserverID) {
        missedChange.append(id)
    }

    mutating func didRollbackToSavepoint() {
        if !haveRead.isEmpty { isUndone = true }
    }

    /// Ends the transaction. Returns the observers made stale by its commit.
    mutating func commit() -> [ObserverID] {
        guard !haveRead.isEmpty || !missedChange.isEmpty else { return [] }
        defer { self = MidTransactionObservers() }
        return missedChange + (isUndone ? haveRead : [])
    }

    /// Ends the transaction. Returns the observers to fetch again, each once.
    mutating func rollback() -> [ObserverID] {
        defer { self = MidTransactionObservers() }
        var known: Set<ObserverID> = []
        return haveRead.filter { known.insert($0).inserted }
    }
}
