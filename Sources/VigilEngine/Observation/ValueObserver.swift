import Dispatch
import Synchronization
import VigilRegions

/// An observation that was started, whatever it fetches. Not for apps to implement.
public protocol _StartedObservation: AnyObject, Sendable {
    /// Delivers what was kept back because it is to be delivered before `start` returns.
    func _deliverImmediately()
}

/// Drives one started observation: tells its machine what happens, and does what it answers.
final class ValueObserver<Reducer: ValueReducer, Scheduler: ValueObservationScheduler>:
    CommitObserver, DatabaseCancellable, _StartedObservation
{
    private struct State {
        var machine = ObservationMachine()
        /// How to stop hearing of commits; known once the observer was registered.
        var leave: (@Sendable () -> Void)?
        /// Whether the initial value waits for ``ValueObserver/_deliverImmediately()``.
        var keepsInitialBack: Bool
        var initial: Result<Reducer.Value, any Error>?
        /// `nil` once nothing may be delivered any more.
        var callbacks: Callbacks?
    }

    private struct Callbacks {
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Reducer.Value) -> Void
    }

    private let observation: ValueObservation<Reducer>
    private let scheduler: Scheduler
    private let reduction: Reduction<Reducer>
    private let state: Mutex<State>

    init(
        observation: ValueObservation<Reducer>, scheduler: Scheduler, isImmediate: Bool,
        onError: @escaping @Sendable (any Error) -> Void,
        onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) {
        self.observation = observation
        self.scheduler = scheduler
        reduction = Reduction(observation.reducer)
        state = Mutex(
            State(keepsInitialBack: isImmediate, callbacks: Callbacks(onError: onError, onChange: onChange)))
    }

    var needsWriter: Bool { observation.requiresWriteAccess }

    // MARK: - Start and refresh

    func update(_ db: Database, because reason: HitReason?) -> ObserverRenewal {
        let (fetches, isEnded) = state.withLock { state in
            let fetches = reason == nil ? state.machine.start() : state.machine.commitTouchedRegion()
            return (fetches, state.machine.isEnded)
        }
        guard fetches else { return isEnded ? .ended : .unchanged }
        do {
            let (fetched, region) = try fetch(db)
            let renewal = try renewal(region, isFirst: reason == nil, db)
            didFetch(fetched)
            return renewal
        } catch {
            fail(error)
            return .ended
        }
    }

    private func renewal(_ fetched: DatabaseRegion, isFirst: Bool, _ db: Database) throws -> ObserverRenewal {
        switch observation.tracking {
        case .fetched: .observes(try db.observable(fetched))
        case .firstFetched: isFirst ? .observes(try db.observable(fetched)) : .unchanged
        case .regions(let regions):
            isFirst ? .observes(try db.observable(regions.databaseRegion(db))) : .unchanged
        }
    }

    private func fetch(_ db: Database) throws -> (Reducer.Fetched, DatabaseRegion) {
        var region = DatabaseRegion()
        let fetched = try db.recordingSelection(&region) {
            guard needsWriter else {
                return try db.inReadOnlySnapshot { try observation.reducer._fetch(db) }
            }
            var fetched: Reducer.Fetched?
            try db.inSavepoint {
                fetched = try observation.reducer._fetch(db)
                return .commit
            }
            // A savepoint that does not throw has run its body.
            return try fetched.orThrow()
        }
        return (fetched, region)
    }

    func didRegister(leave: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.machine.isEnded { state.leave = leave }
            return state.machine.isEnded
        }
        if isOver { leave() }
    }

    // MARK: - Reduction and delivery

    private func didFetch(_ fetched: Reducer.Fetched) {
        guard case .deliver = state.withLock({ $0.machine.didFetch() }) else { return }
        if state.withLock({ $0.keepsInitialBack }) {
            let value = reduction.now(fetched)
            state.withLock { $0.initial = value }
        } else {
            reduction.schedule(fetched) { [self] in deliver($0) }
        }
    }

    private func deliver(_ result: Result<Reducer.Value, any Error>?) {
        switch result {
        case .success(let value):
            scheduler.schedule { [self] in
                state.withLock { $0.callbacks }?.onChange(value)
            }
        case .failure(let error): fail(error)
        case nil: break
        }
    }

    func _deliverImmediately() {
        let (initial, callbacks) = state.withLock { state in
            state.keepsInitialBack = false
            defer { state.initial = nil }
            return (state.initial, state.callbacks)
        }
        switch initial {
        case .success(let value): callbacks?.onChange(value)
        case .failure(let error):
            takeCallbacks()?.onError(error)
        case nil: break
        }
    }

    // MARK: - End

    func fail(_ error: any Error) {
        let (isNews, isKeptBack, leave) = state.withLock { state in
            let isNews = state.machine.didFail()
            if isNews, state.keepsInitialBack { state.initial = .failure(error) }
            defer { state.leave = nil }
            return (isNews, state.keepsInitialBack, state.leave)
        }
        leave?()
        guard isNews, !isKeptBack else { return }
        scheduler.schedule { [self] in takeCallbacks()?.onError(error) }
    }

    func cancel() {
        let leave = state.withLock { state in
            _ = state.machine.cancel()
            defer { state.leave = nil }
            return state.leave
        }
        leave?()
        _ = takeCallbacks()
    }

    /// What the callbacks capture is released by the caller, outside of the lock: that may run anybody's code.
    private func takeCallbacks() -> Callbacks? {
        state.withLock { state in
            defer { state.callbacks = nil }
            return state.callbacks
        }
    }
}

extension [any DatabaseRegionConvertible] {
    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try reduce(into: DatabaseRegion()) { try $0.formUnion($1.databaseRegion(db)) }
    }
}

extension Optional {
    fileprivate func orThrow() throws -> Wrapped {
        guard let self else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return self
    }
}
