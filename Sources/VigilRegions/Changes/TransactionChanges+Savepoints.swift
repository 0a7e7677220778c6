import VigilStorage

/// Savepoints can be nested and have equal names, which compare ignoring case: a name denotes the innermost
/// savepoint that has it. A name without an open savepoint is ignored.
extension TransactionChanges {
    /// Records that a savepoint was opened.
    package mutating func didBeginSavepoint(_ name: String) {
        levels.append(Level(savepoint: name, matchCount: matches.count))
        redundant = nil
    }

    /// Records that a savepoint was released, with all those opened after it. Their changes are kept.
    package mutating func didRelease(_ name: String) {
        if let level = level(of: name) { mergeLevels(from: level) }
    }

    /// Records that the changes since a savepoint were undone. The savepoint stays open.
    ///
    /// Observers that matched these changes are armed again.
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

    /// Merges the levels from an index on, which is not 0, into the preceding one.
    mutating func mergeLevels(from first: Int) {
        for level in levels[first...] {
            levels[first - 1].changes.formUnion(level.changes, rowLimit: rowLimit)
        }
        levels.removeSubrange(first...)
        redundant = nil
    }
}
