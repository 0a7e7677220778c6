import VigilRegions

/// Observers that started during a transaction: its previous changes, or their rollback, may affect them.
struct EarlyObservers {
    /// Observers that have read uncommitted changes.
    private var readers: [ObserverID] = []
    /// Whether changes were rolled back that these observers may have read.
    private var isUndone = false
    /// Observers whose region the transaction may have modified before they started.
    private var late: [ObserverID] = []

    /// Records that an observer has read uncommitted changes. If they are rolled back, it must fetch again.
    mutating func didRead(_ id: ObserverID) {
        readers.append(id)
    }

    /// Records that an observer started after a change of its region. The commit makes it stale.
    mutating func didMissChange(_ id: ObserverID) {
        late.append(id)
    }

    mutating func didRollbackToSavepoint() {
        if !readers.isEmpty { isUndone = true }
    }

    /// Ends the transaction. Returns the observers that its commit makes stale.
    mutating func commit() -> [ObserverID] {
        guard !readers.isEmpty || !late.isEmpty else { return [] }
        defer { self = EarlyObservers() }
        return late + (isUndone ? readers : [])
    }

    /// Ends the transaction. Returns the observers that must fetch again.
    mutating func rollback() -> [ObserverID] {
        defer { self = EarlyObservers() }
        return readers
    }
}
