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
        var rows = RowBuffer.Content(rowCount: kept.rows.count)
        for index in 0..<kept.rows.count {
            kept.rows.withKey(at: index) { rows.append($0, columnCount: shape.outputCount) }
        }
        kept.base = base
        result.didFetch(kept, hasRun: false)
        return Outcome(rows: RowBuffer(rows), base: base)
    }

    /// Keeps the rows of the statement in this snapshot.
    func keep(_ rows: RowBuffer) -> Outcome? {
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
        var packed = KeyList()
        rows.forEach { row in
            packed.append { bytes in
                for index in 0..<shape.outputCount { PackedValues.append(row[index], to: &bytes) }
            }
        }
        let kept = LiveResult.KeptRows(
            shape: shape, rows: packed, region: statement.boundRegion(endsEarly: true), base: base,
            functionRevision: db.functionRevision)
        result.didFetch(kept, hasRun: true)
        return Outcome(rows: rows, base: base)
    }
}
