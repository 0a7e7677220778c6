import VigilRegions
import VigilStorage

extension Statement {
    /// Records the region of the prepared run, unless the current recording contains it.
    func recordReads() {
        guard let recording = database.recordings.last?.number else { return }
        storage.determineReads()
        guard !recordsAtEnd() else { return }
        let observed = observed
        if let recorded, recorded.run == run.number, recorded.recording == recording,
            recorded.observed === observed
        {
            return
        }
        recorded = (run.number, recording, observed)
        record(boundRegion(endsEarly: observed.hasEndedEarly))
    }

    /// Records the reads of a statement after the library compiled it again because of a schema change. It
    /// may read more than before.
    func recordLateReads() {
        guard observed !== run.observed, !database.recordings.isEmpty else { return }
        // Its conditions may have changed too, and it is unknown which of them applied.
        record(unconditionalRegion(endsEarly: false))
    }

    private func record(_ region: DatabaseRegion) { database.record(region, isLarge: bound.isLarge) }

    // MARK: - Reads bounded by the last row

    /// Returns whether the reads of the prepared run are recorded at its end, because its last row then
    /// bounds the rows that matter.
    private func recordsAtEnd() -> Bool {
        guard let bound = resultBound, let recording = database.recordings.last else { return false }
        run.bound = bound
        recording.addUnfinished(self)
        return true
    }

    private var resultBound: ResultBound? {
        guard !readsOnlyKnownRows, database.recordings.allSatisfy(\.boundsResults),
            database.configuration.ignoresNoOpUpdates
        else { return nil }
        let conditions = observed.conditions(of: storage)
        guard let order = conditions.report.order, conditions.report.holds(for: boundValue(at:)),
            // Elsewhere, triggers would be made for the values of the table's rows.
            database.connection.capabilities.reportsRowImages
                || conditions.report.tables.contains(where: { $0.table == order.table })
        else { return nil }
        return ResultBound(order, argument: boundValue(at:))
    }

    /// Records the reads of a run that ends.
    ///
    /// - Parameter last: the last row, if the run ends before its end.
    func recordBoundedReads(through last: StorageRow?) {
        guard let bound = run.bound else {
            if last != nil { recordOrderingReads() }
            return
        }
        run.bound = nil
        for recording in database.recordings { recording.removeUnfinished(self) }
        let region = boundRegion(endsEarly: last != nil)
        guard observed === run.observed, let conditions = bound.conditions(through: last) else {
            return record(region)
        }
        if let known = lastBounded, known.region.isSameInstance(as: region), known.conditions == conditions {
            return record(known.bounded)
        }
        let bounded = region.narrowed(bound.order.table, to: conditions)
        lastBounded = (region, conditions, bounded)
        record(bounded)
    }

    /// Records the columns that decide which rows come first, for a run that ends before its last row.
    private func recordOrderingReads() {
        guard !database.recordings.isEmpty, observed.isReadOnly, !observed.hasEndedEarly else { return }
        observed.hasEndedEarly = true
        let region = unconditionalRegion(endsEarly: true)
        guard !region.isSameInstance(as: unconditionalRegion(endsEarly: false)) else { return }
        record(observed === run.observed ? boundRegion(endsEarly: true) : region)
    }

    /// Records the reads of a run that a recording does not wait for.
    func recordUnboundedReads() {
        run.bound = nil
        record(boundRegion(endsEarly: true))
    }

    /// Records the reads of a failed run.
    ///
    /// The failure may depend on more than the statement's region, such as on the schema if the statement was
    /// compiled again. An interruption does not depend on the database.
    func recordReads(after error: StorageError) {
        recordLateReads()
        if run.bound != nil { recordUnboundedReads() }
        if error.code.primary != .interrupt { database.recordUnknownReads() }
    }
}
