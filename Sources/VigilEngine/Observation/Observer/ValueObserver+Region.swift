import Synchronization
import VigilRegions

extension ValueObserver {
    /// Returns the region to observe after a fetch.
    ///
    /// A region that does not depend on fetches is derived again after a change of the schema: a view may
    /// read other tables, and a name may refer to another table.
    ///
    /// - Parameter fetched: the region that the fetch read.
    func renewal(_ fetched: DatabaseRegion, isFirst: Bool, _ db: Database) throws -> ObserverRenewal {
        // Before the observer counts as armed: an error repeats the fetch.
        var schema: SchemaState?
        if case .fetched = settings.tracking {} else { schema = try db.schemaState() }
        let (observesChanges, disarmedRegion, derivedFrom) = state.withLock { state in
            defer { state.isDisarmed = false }
            return (
                state.host?.observesChanges ?? false, state.isDisarmed ? state.region : nil, state.derivedFrom
            )
        }
        guard observesChanges else { return .unchanged }
        if case .fetched = settings.tracking { return .observes(try db.observable(fetched)) }
        if !isFirst, derivedFrom == schema { return disarmedRegion.map { .observes($0) } ?? .unchanged }
        do {
            let (region, attached) = try db.notingCurrentAttachedSchemas { try derivedRegion(fetched, db) }
            // The state does not cover attached databases.
            state.withLock { $0.derivedFrom = attached.isEmpty ? schema : nil }
            return .observes(region)
        } catch  where !isFirst {
            // The view may be created again.
            state.withLock { $0.derivedFrom = nil }
            return .observes(.fullDatabase)
        }
    }

    private func derivedRegion(_ fetched: DatabaseRegion, _ db: Database) throws -> DatabaseRegion {
        guard case .regions(let regions) = settings.tracking else {
            return try db.includingUnreported(db.observable(fetched))
        }
        return try db.observable(regions.databaseRegion(db), isNamed: true)
    }
}
