import VigilRegions

/// Observers that began in the middle of a transaction, and so are concerned by what it did before, or by its undoing.
struct EarlyObservers {
    /// Those that have read what was not committed yet.
    private var readers: [ObserverID] = []
    /// Whether something was undone that they may have read.
    private var isUndone = false
    /// Those whose region the transaction may have changed before they began.
    private var late: [ObserverID] = []

    /// An observer has read what is not committed yet. If that is undone, it must read again.
    mutating func didRead(_ id: ObserverID) {
        readers.append(id)
    }

    /// An observer began after a change of its region. The commit concerns it.
    mutating func didMissChange(_ id: ObserverID) {
        late.append(id)
    }

    mutating func didRollbackToSavepoint() {
        if !readers.isEmpty { isUndone = true }
    }

    /// Ends the transaction. Answers whom its commit concerns.
    mutating func commit() -> [ObserverID] {
        guard !readers.isEmpty || !late.isEmpty else { return [] }
        defer { self = EarlyObservers() }
        return late + (isUndone ? readers : [])
    }

    /// Ends the transaction. Answers who must read again.
    mutating func rollback() -> [ObserverID] {
        defer { self = EarlyObservers() }
        return readers
    }
}
