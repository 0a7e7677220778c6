import VigilStorage

/// Savepoints can be nested, and can have equal names, compared without case: a name denotes the innermost
/// savepoint with this name. A name without an open savepoint is ignored.
extension TransactionChanges {
    /// Begins a level for a new savepoint.
    package mutating func didBeginSavepoint(_ name: String) {
        levels.append(Level(savepoint: name, matchCount: matches.count))
        redundant = nil
    }

    /// Merges the levels of a released savepoint and of all later ones into the level before.
    package mutating func didRelease(_ name: String) {
        if let level = level(of: name) { mergeLevels(from: level) }
    }

    /// Discards the changes since a savepoint. The savepoint stays open.
    ///
    /// Arms the observers matched by these changes again.
    package mutating func didRollback(to name: String, in index: inout RegionIndex) {
        guard let level = level(of: name) else { return }
        let matchCount = levels[level].matchCount
        if matchCount < matches.count {
            index.rearm(matches[matchCount...])
            matches.removeSubrange(matchCount...)
        }
        levels.removeSubrange((level + 1)...)
        levels[level].changes = ChangeSet()
        redundant = nil
    }

    private func level(of name: String) -> Int? {
        levels.lastIndex { $0.savepoint?.isSameName(as: name) ?? false }
    }

    /// Merges the levels from an index on into the preceding one. The index must not be 0.
    mutating func mergeLevels(from first: Int) {
        for level in levels[first...] {
            levels[first - 1].changes.formUnion(level.changes, rowLimit: rowLimit)
        }
        levels.removeSubrange(first...)
        redundant = nil
    }
}
