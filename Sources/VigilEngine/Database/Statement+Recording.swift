import VigilRegions
import VigilStorage

extension Statement {
    /// Records the region of the prepared run, unless the current recording contains it.
    func recordReads() {
        guard let recording = database.recordings.last?.number else { return }
        let observed = observed
        if let recorded, recorded.run == run.number, recorded.recording == recording,
            recorded.observed === observed
        {
            return
        }
        recorded = (run.number, recording, observed)
        database.record(boundRegion)
    }

    /// Records the reads of a statement after the library compiled it again because of a schema change. It
    /// may read more than before.
    func recordLateReads() {
        guard observed !== run.observed, !database.recordings.isEmpty else { return }
        // Its conditions may have changed too, and it is unknown which of them applied.
        database.record(observed.region(database))
    }

    /// Records the reads of a failed run.
    ///
    /// The failure may depend on more than the statement's region, such as on the schema if the statement was
    /// compiled again. An interruption does not depend on the database.
    func recordReads(after error: StorageError) {
        recordLateReads()
        if error.code.primary != .interrupt { database.record(.fullDatabase) }
    }
}
