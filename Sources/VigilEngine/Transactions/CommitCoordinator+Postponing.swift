import VigilRegions

extension CommitCoordinator {
    /// Runs `body`, which commits several transactions whose intermediate states are not to be observed. Stale
    /// value observers fetch once, after `body` has returned or thrown.
    ///
    /// Observers of transactions and regions are notified of each commit, as usual.
    func postponeFetches<T>(_ db: Database, _ body: () throws -> T) rethrows -> T {
        guard postponedFetches == nil else { return try body() }
        postponedFetches = StaleObservers()
        defer {
            let stale = postponedFetches
            postponedFetches = nil
            if let stale, !stale.values.isEmpty || !stale.changes.isEmpty {
                db.outsideTransactionBlocks { notify(stale, db) }
            }
        }
        return try body()
    }
}

extension StaleObservers {
    /// Adds the value observers of another commit, each once.
    mutating func formUnion(ofValues other: StaleObservers) {
        for match in other.values where !values.contains(where: { $0.id == match.id }) {
            values.append(match)
        }
        changes.formUnion(other.changes)
    }
}

extension Database {
    /// Runs `body`, which commits several transactions whose intermediate states are not to be observed. Value
    /// observations fetch once, after `body` has returned or thrown.
    package func postponingFetches<T>(_ body: () throws -> T) rethrows -> T {
        guard let coordinator else { return try body() }
        return try coordinator.postponeFetches(self, body)
    }
}
