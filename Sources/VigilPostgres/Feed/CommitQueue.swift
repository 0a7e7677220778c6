/// The commits received from the stream and not yet visible to new snapshots.
struct CommitQueue {
    /// The number of commits kept with their relations. Beyond it, as while a synchronous standby is
    /// unreachable, only the largest number of a transaction is kept.
    static let capacity = 10_000
    /// The memory for the rows of all commits, in bytes. Beyond it, only the relations of further commits are
    /// kept.
    static let rowLimit = 16 << 20

    private var commits: [StreamedCommit] = []
    /// The newest transaction of the dropped commits.
    private var newestDropped: UInt32?
    private var byteCount = 0

    var isEmpty: Bool { commits.isEmpty && newestDropped == nil }
    var count: Int { commits.count }

    mutating func append(_ commit: StreamedCommit) {
        guard commits.count >= Self.capacity else {
            var commit = commit
            if byteCount + commit.byteCount > Self.rowLimit { commit.dropRows() }
            byteCount += commit.byteCount
            return commits.append(commit)
        }
        guard let newest = newestDropped else { return newestDropped = commit.transaction }
        // Numbers start again after 2³².
        if Int32(bitPattern: commit.transaction &- newest) > 0 { newestDropped = commit.transaction }
    }

    /// Keeps only the relations of all commits.
    mutating func dropRows() {
        for index in commits.indices { commits[index].dropRows() }
        byteCount = 0
    }

    /// The commits seen by a snapshot.
    struct Visible: Equatable {
        /// The relations in which any row may have changed.
        var relations: Set<UInt32> = []
        /// The changed rows, of these and other relations.
        var rows: [StreamedRow] = []
        /// The first transaction after all dropped commits: commits of transactions before it must be
        /// reported as changes of the whole database.
        var unknownBefore: UInt64?

        var isEmpty: Bool { relations.isEmpty && rows.isEmpty && unknownBefore == nil }
    }

    /// Removes the commits seen by a snapshot, and the dropped ones.
    mutating func takeVisible(in snapshot: ServerSnapshot) -> Visible {
        var visible = Visible(unknownBefore: newestDropped.map { snapshot.completed($0) &+ 1 })
        newestDropped = nil
        commits.removeAll { commit in
            guard snapshot.sees(snapshot.completed(commit.transaction)) else { return false }
            visible.relations.formUnion(commit.relations)
            visible.rows += commit.rows
            byteCount -= commit.byteCount
            return true
        }
        return visible
    }
}
