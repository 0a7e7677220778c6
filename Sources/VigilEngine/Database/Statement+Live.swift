import VigilLists
import VigilRegions
import VigilStorage

// Statements in the fetches of observations. The result of an expensive one is kept up to date row by row,
// and returned from memory.
extension Statement {
    /// Returns the statements that keep the result up to date.
    private func liveQuery() throws -> LiveQuery {
        if let known = knownLiveQuery, known.revision == storage.accessRevision { return known }
        let query = try database.withoutRecording { try LiveQuery(planning: self, database) }
        knownLiveQuery = query
        return query
    }

    /// Begins a run in the fetch of an observation. The rows may come from memory.
    func beginLiveRun() throws {
        guard let fetch = database.fetchContext?.fetch.live, !database.recordings.isEmpty, !readsOnlyKnownRows
        else { return }
        guard let result = fetch.find(storage.sql, bound) else {
            _ = (storage.resetWork(), storage.resetPageCount())
            run.isMeasured = true
            return
        }
        // An updated result would mix two commits if the ledger lacks one.
        guard !fetch.isInitial, !result.isKept || fetch.canUpdate(database) else {
            fetch.use(result, base: nil)
            return
        }
        var outcome: LiveUpdate.Outcome?
        switch result.willFetch() {
        case .run: break
        case .update(let kept):
            var kept: LiveResult.Kept? = kept
            outcome = try update(result, fetch) { try $0.update(kept.take()!) }
        case .updateList(let list): outcome = try update(result, fetch) { try $0.update(list) }
        case .reuse(let rows):
            var mayHaveChanged = false
            outcome = try update(result, fetch) { update in
                let outcome = update.reuse(rows)
                mayHaveChanged = outcome == nil
                return outcome
            }
            if mayHaveChanged { outcome = try build(result, fetch) }
        case .build: outcome = try build(result, fetch)
        }
        run.heldRows = (outcome?.rows).map { HeldRows($0, current: storage.row) }
        fetch.use(result, base: outcome?.base, bound: outcome?.bound ?? 0)
    }

    /// Updates the result, or begins to keep it.
    ///
    /// - Returns: `nil` if it is not kept.
    private func update(
        _ result: LiveResult, _ fetch: LiveFetch, by body: (LiveUpdate) throws -> LiveUpdate.Outcome?
    ) throws -> LiveUpdate.Outcome? {
        guard let query = try? liveQuery() else {
            result.didFail(LiveUpdate.changedMeaning)
            return nil
        }
        do {
            return try body(LiveUpdate(statement: self, result: result, fetch: fetch, query: query))
        } catch {
            endRun()
            throw error
        }
    }

    /// Runs the statement to its end, and begins to keep its result.
    private func build(_ result: LiveResult, _ fetch: LiveFetch) throws -> LiveUpdate.Outcome? {
        var isRead = false
        defer { if !isRead { result.didFail("the statement failed, or its result has many rows") } }
        _ = storage.resetWork()
        let byteLimit = max(65_536, database.configuration.liveResultMemory)
        guard let rows = try runToRows(limit: LiveFetch.rowLimit, byteLimit: byteLimit) else { return nil }
        isRead = true
        let cost = storage.resetWork() ?? 0
        let kept = try update(result, fetch) { update in
            guard update.query.list != nil else {
                let isCheap = cost <= database.configuration.leastLiveCost
                return isCheap ? update.keep(rows) : try update.build(comparing: rows, cost: cost)
            }
            guard cost >= rows.count * database.configuration.leastLiveRowCost else {
                result.didFail("its rows are cheap to fetch")
                return nil
            }
            return try update.buildList(comparing: rows)
        }
        return kept ?? LiveUpdate.Outcome(rows: rows)
    }

    /// Considers to keep the result, after a run in the fetch of an observation.
    func didMeasureRun() {
        run.isMeasured = false
        guard let fetch = database.fetchContext?.fetch.live, let cost = storage.resetWork() else { return }
        let configuration = database.configuration
        let hasManySteps = cost > configuration.leastLiveCost
        let readsManyPages = storage.resetPageCount() ?? 0 > configuration.leastLivePageCount
        guard hasManySteps || readsManyPages, !bound.isLarge, let query = try? liveQuery(),
            hasManySteps ? query.isPlanned : query.shape != nil
        else { return }
        let result = fetch.ledger.liveResults.make(storage.sql, bound, ledger: fetch.ledger)
        if let links = query.links { result.keepValues(of: links.columns) }
        fetch.use(result, base: nil)
    }
}
