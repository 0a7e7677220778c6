import VigilLists
import VigilRegions
import VigilStorage

// Statements in the fetches of observations. The result of an expensive one is kept up to date row by row,
// and returned from memory.
extension Statement {
    /// Returns the statements that keep the result up to date.
    private func groupQuery() throws -> GroupQuery {
        if let known = knownGroupQuery, known.revision == storage.accessRevision { return known }
        let query = try database.withoutRecording { try GroupQuery(planning: self, database) }
        knownGroupQuery = query
        return query
    }

    /// Begins a run in the fetch of an observation. The rows may come from memory.
    func beginLiveRun() throws {
        guard let fetch = database.fetchContext?.fetch.live, !database.recordings.isEmpty, !readsOnlyKnownRows
        else { return }
        _ = storage.resetWork()
        guard let result = fetch.ledger.liveResults.find(storage.sql, bound) else {
            run.isMeasured = true
            return
        }
        guard !fetch.isInitial else {
            database.fetchContext?.fetch.live?.use(result, base: nil)
            return
        }
        var (base, bound): (CommitNumber?, Int) = (nil, 0)
        switch result.willFetch() {
        case .run: break
        case .update(var kept):
            guard let query = try? groupQuery() else {
                result.didFail("the schema or a function changed")
                break
            }
            let update = LiveUpdate(statement: self, result: result, fetch: fetch, query: query)
            do {
                (run.heldRows, base) = try update.update(&kept)
            } catch {
                endRun()
                throw error
            }
        case .updateList(let list):
            guard let query = try? groupQuery() else {
                result.didFail("the schema or a function changed")
                break
            }
            let update = LiveUpdate(statement: self, result: result, fetch: fetch, query: query)
            do {
                (run.heldRows, base, bound) = try update.update(list)
            } catch {
                endRun()
                throw error
            }
        case .build: (base, bound) = try build(result, fetch)
        }
        database.fetchContext?.fetch.live?.use(result, base: base, bound: bound)
    }

    /// Runs the statement to its end, and begins to keep its result.
    ///
    /// - Returns: the commit of the result, `nil` if it is not kept; and the bound of a list.
    private func build(
        _ result: LiveResult, _ fetch: LiveFetch
    ) throws -> (base: CommitNumber?, bound: Int) {
        var isRead = false
        defer { if !isRead { result.didFail("the statement failed, or its result has many rows") } }
        guard let rows = try runToRows(limit: LiveFetch.rowLimit) else { return (nil, 0) }
        isRead = true
        let cost = storage.resetWork() ?? 0
        run.heldRows = rows
        guard let query = try? groupQuery() else {
            result.didFail("the schema or a function changed")
            return (nil, 0)
        }
        let update = LiveUpdate(statement: self, result: result, fetch: fetch, query: query)
        if query.list != nil {
            // Other rows are fetched as fast as they are copied from memory.
            guard cost >= rows.count * database.configuration.leastLiveCost / 20 else {
                result.didFail("its rows are cheap to fetch")
                return (nil, 0)
            }
            return try update.buildList(comparing: rows)
        }
        return (try update.build(comparing: rows, cost: cost), 0)
    }

    /// Considers to keep the result, after a run in the fetch of an observation.
    func didMeasureRun() {
        run.isMeasured = false
        guard let fetch = database.fetchContext?.fetch.live, let cost = storage.resetWork(),
            cost > database.configuration.leastLiveCost, !bound.isLarge, let query = try? groupQuery(),
            query.isPlanned
        else { return }
        let result = fetch.ledger.liveResults.make(storage.sql, bound, ledger: fetch.ledger)
        if let links = query.links { result.keepValues(of: links.columns) }
        database.fetchContext?.fetch.live?.use(result, base: nil)
    }
}
