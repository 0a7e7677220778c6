import VigilStorage

/// Savepoints nest, may have the same name, and their names compare ignoring case: a name means the innermost
/// savepoint that has it. A name that no open savepoint has means nothing.
extension TransactionChanges {
    /// A savepoint was opened.
    package mutating func didBeginSavepoint(_ name: String) {
        levels.append(Level(savepoint: name, hitCount: hits.count))
        settled = nil
    }

    /// A savepoint was released, and with it all that were opened since. What they cover stays.
    package mutating func didRelease(_ name: String) {
        if let level = level(of: name) { mergeLevels(from: level) }
    }

    /// What was done since a savepoint was opened was undone. The savepoint itself stays open.
    ///
    /// Observers that were hit by what was undone wait again.
    package mutating func didRollback(to name: String, in index: inout RegionIndex) {
        guard let level = level(of: name) else { return }
        let hitCount = levels[level].hitCount
        if hitCount < hits.count {
            index.revive(hits[hitCount...])
            hits.removeSubrange(hitCount...)
        }
        levels.removeSubrange((level + 1)...)
        levels[level].changes = ChangeSet()
        settled = nil
    }

    private func level(of name: String) -> Int? {
        levels.lastIndex { $0.savepoint?.isSameName(as: name) ?? false }
    }

    /// Adds the levels from an index on, which is not 0, to the one before.
    mutating func mergeLevels(from first: Int) {
        for level in levels[first...] {
            levels[first - 1].changes.formUnion(level.changes, rowLimit: rowLimit)
        }
        levels.removeSubrange(first...)
        settled = nil
    }
}
