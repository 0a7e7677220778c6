import VigilLists
import VigilRegions
import VigilStorage

// The rows of a statement with few steps and many pages. They are kept until they may have changed.
extension LiveUpdate {
    /// Returns kept rows; `nil` if they may have changed.
    func reuse(_ kept: LiveResult.KeptRows) -> Outcome? {
        var kept = kept
        guard let shape = query.shape, shape == kept.shape, kept.functionRevision == db.functionRevision,
            shape.outputCount == statement.storage.row.count,
            let changes = fetch.changes(
                since: kept.base, of: result, isBounded: statement.run.bound != nil, db),
            !fetch.ledger.trusted(kept.region).isModified(by: changes),
            let base = fetch.baseAfterFetch(db)
        else { return nil }
        kept.base = base
        result.didFetch(kept, hasRun: false)
        return Outcome(rows: kept.rows, base: base)
    }

    /// Keeps the rows of the statement in this snapshot.
    func keep(_ rows: [Row]) -> Outcome? {
        guard let shape = query.shape, shape.outputCount == statement.storage.row.count else {
            result.didFail(Self.changedMeaning)
            return nil
        }
        guard let base = fetch.baseAfterFetch(db) else {
            result.didFail("unknown changes")
            return nil
        }
        guard rows.byteCount <= byteLimit else {
            result.didFail(Self.manyContributions)
            return nil
        }
        let kept = LiveResult.KeptRows(
            shape: shape, rows: rows, region: statement.boundRegion(endsEarly: true), base: base,
            functionRevision: db.functionRevision)
        result.didFetch(kept, hasRun: true)
        return Outcome(rows: rows, base: base)
    }
}
