import Synchronization
import VigilRegions

/// The observer of a ``DatabaseRegionObservation``: it is notified of commits on the writer, and calls back
/// there.
final class RegionObserver: CommitObserver {
    private struct State {
        var onError: (@Sendable (any Error) -> Void)?
        var onChange: (@Sendable (Database, MatchReason, CommitNumber) -> Void)?
        var unregister: (@Sendable () -> Void)?
        var id: ObserverID?
        /// The schema that the region was derived from.
        var derivedFrom: SchemaState?
    }

    private let regions: [any DatabaseRegionConvertible]
    private let state: Mutex<State>

    init(
        _ regions: [any DatabaseRegionConvertible], onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Database, MatchReason, CommitNumber) -> Void
    ) {
        self.regions = regions
        state = Mutex(State(onError: onError, onChange: onChange))
    }

    var route: FetchRoute { .writer }
    var mayWrite: Bool { true }

    func begin(in host: any ObservationHost, of database: any DatabaseReader) -> Bool { true }

    func didChange(_ trigger: ObservationTrigger) -> ChangeAnswer { .fetch }

    func willRegister(_ id: ObserverID) {}

    func didRegister(_ id: ObserverID) {
        state.withLock { $0.id = id }
    }

    func deriveRegion(_ db: Database) throws -> DatabaseRegion {
        // Statements are compiled, and do not run: only this check notices a schema changed by others. If it
        // fails, so does the next one, unless the region contains the whole database.
        if db.roles.server == nil { try? db.checkSchema() }
        let (region, attached) = try db.notingCurrentAttachedSchemas {
            try db.observable(regions.databaseRegion(db), isNamed: true)
        }
        // The known state may lack changes of attached databases.
        state.withLock { $0.derivedFrom = attached.isEmpty ? db.knownSchemaState : nil }
        return region
    }

    /// Derives the region again if the schema has changed, such as a view that it contains.
    private func renewRegion(_ db: Database) {
        // Another connection may have committed what a feed reports.
        var isKnown = true
        if db.coordinator?.feed != nil, (try? db.schemaState()) == nil { isKnown = false }
        let (id, derivedFrom) = state.withLock { ($0.id, $0.derivedFrom) }
        guard let id, derivedFrom != db.knownSchemaState || !isKnown else { return }
        // A view that does not exist may be created again.
        if let region = try? deriveRegion(db) {
            db.coordinator?.replaceRegion(of: id, with: region)
        } else {
            state.withLock { $0.derivedFrom = nil }
            db.coordinator?.replaceRegion(of: id, with: .fullDatabase)
        }
    }

    func fetch(_ db: Database, at commit: CommitNumber, because change: MatchedChange?) -> ObserverFetch {
        guard let onChange = state.withLock({ $0.onChange }) else { return ObserverFetch(renewal: .ended) }
        renewRegion(db)
        if let change { onChange(db, change.reason, commit) }
        return ObserverFetch(renewal: .unchanged)
    }

    /// Stores the closure that unregisters the observer, or calls it immediately if the observation has
    /// ended.
    func didRegister(unregister: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            state.unregister = unregister
            return state.onChange == nil
        }
        if isOver { unregister() }
    }

    func fail(_ error: any Error) {
        let ended = end()
        ended.unregister?()
        ended.onError?(error)
    }

    func cancel() {
        end().unregister?()
    }

    /// Removes and returns the closures. The caller releases them outside of the lock, with the values that
    /// they capture.
    private func end() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
