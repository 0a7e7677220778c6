import VigilLists
import VigilRegions
import VigilStorage

// The rows of a statement without groups are kept as an observed list of rows.
extension LiveUpdate {
    /// The elements of the list. Its statement is prepared by its user.
    private var request: ListRequest {
        let layout = statement.layout
        return ListRequest(
            traits: Self.traits, prepare: { _ in throw DatabaseError(resultCode: .SQLITE_MISUSE) },
            decode: { Row(layout: layout, copying: $0.cells) })
    }

    private static let traits = ElementTraits<Row>(areEqual: { $0.isIdentical(to: $1) })

    /// Updates the rows.
    ///
    /// - Throws: an error that ended the snapshot: the statement would read another one.
    func update(_ memory: ListMemory) throws -> Outcome? {
        guard let rows = try attempt({ try updated(memory) }) else { return nil }
        return Outcome(rows: rows, base: memory.last?.base, bound: result.bound)
    }

    private func updated(_ memory: ListMemory) throws -> [Row] {
        let use = fetch.last.first { $0.result === result }
        let knowsBound = use?.bound == result.bound
        // A changed schema may also change the order of rows with equal values.
        guard let base = memory.last?.base, fetch.baseAfterFetch(db) != nil,
            fetch.changes(since: base, of: result, isBounded: !knowsBound, db) != nil
        else { throw Failure(reason: "unknown changes") }
        let follows = knowsBound && use?.base.map { $0 <= base } == true
        return try rows(of: memory, since: follows ? fetch.base : ListBase())
    }

    /// Begins to keep the rows.
    ///
    /// - Parameter rows: the rows that the statement has returned in this snapshot.
    func buildList(comparing rows: [Row]) throws -> Outcome? {
        let memory = try attempt {
            guard fetch.baseAfterFetch(db) != nil else { throw Failure(reason: "unknown changes") }
            let memory = ListMemory(of: Row.self, ledger: fetch.ledger)
            let kept = try self.rows(of: memory, since: ListBase())
            guard kept.isIdentical(to: rows) else {
                throw Failure(reason: "the result was not understood")
            }
            return memory
        }
        return memory.map { Outcome(rows: rows, base: $0.last?.base, bound: result.bound) }
    }

    /// Fetches the rows that changed, and returns all of them.
    private func rows(of memory: ListMemory, since base: ListBase) throws -> [Row] {
        guard let list = query.list else { throw Failure(reason: Self.changedMeaning) }
        let (known, live) = (memory.statistics, db.fetchContext?.fetch.live)
        try list.bind(likeThoseOf: statement)
        db.fetchContext?.fetch.live = nil
        db.fetchContext?.fetch.list = ListFetchContext(
            memory: memory, base: base, commit: fetch.commit, mayWrite: false)
        defer {
            db.fetchContext?.fetch.list = nil
            db.fetchContext?.fetch.live = live
        }
        let fetched = ObservedList<Row>(
            try ListFetcher.fetch(
                request,
                prepared: ListRequest.Prepared(statement: list, adapter: nil, supplementaryFetch: nil),
                into: memory, db))
        let statistics = memory.statistics
        if let reason = statistics.unfollowedReason { throw Failure(reason: reason) }
        guard fetched.count <= LiveFetch.rowLimit else { throw Failure(reason: Self.manyRows) }
        let rows = Array(fetched)
        // A window keeps about as many rows again, after its last one.
        let copies = memory.last?.machine.isWindow == true ? 2 : 1
        let byteCount = copies * rows.byteCount
        guard byteCount <= byteLimit else { throw Failure(reason: Self.manyContributions) }
        let reason = statistics.fullFetchCounts.first { known.fullFetchCounts[$0.key] != $0.value }?.key
        result.didFetch(
            memory, byteCount: byteCount, rowCount: statistics.fetchedRowCount - known.fetchedRowCount,
            reason: reason)
        return rows
    }
}
