import VigilRegions

/// The observers that a commit made stale.
struct StaleObservers {
    /// Region observers, which are notified.
    var regions: [MatchedObserver] = []
    /// Value observers, which fetch.
    var values: [MatchedObserver] = []
    /// The changes of the commit.
    var changes = ChangeSet()
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
