import Dispatch
import Synchronization
import VigilStorage

/// The running observations of live values, by what makes them equal.
private let equalObservations = Mutex(WeakValues<EqualityKey, any AnyObject & Sendable>())

/// Observations with equal keys deliver the same values at the same time.
private struct EqualityKey: Hashable, Sendable {
    let reader: ObjectIdentifier
    let fetch: FetchKey
    let reducer: ObjectIdentifier
    let scheduler: ObjectIdentifier
    let label: String?
    let coalescing: ObservationCoalescing
}

extension ValueObservation {
    /// Starts the observation, unless an equal one was started by this method and is running: then its values
    /// are delivered, beginning with the last one.
    ///
    /// Observations with closures are not equal to others: those with event handlers, with operators such as
    /// ``map(_:)``, and of requests whose SQL a closure computes. Neither are those that may have postponed
    /// their last value.
    @MainActor
    func startUnlessRunning<Scheduler: ValueObservationMainActorScheduler>(
        in reader: any DatabaseReader, scheduling scheduler: Scheduler,
        onError: @escaping @MainActor @Sendable (any Error) -> Void,
        onChange: @escaping @MainActor @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        let start: @MainActor @Sendable (FetchKey?) -> AnyDatabaseCancellable = { fetch in
            guard let fetch else {
                return self.start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
            }
            return self.sharedWithEquals(fetch, in: reader, scheduling: scheduler).start(
                onError: { error in MainActor.assumeIsolated { onError(error) } },
                onChange: { value in MainActor.assumeIsolated { onChange(value) } })
        }
        // The scheduler must not have properties either.
        guard isComparable, MemoryLayout<Scheduler>.size == 0 else { return start(nil) }
        switch settings.key {
        case .none: return start(nil)
        case .known(let fetch): return start(fetch)
        case .computed(let key):
            // After an error, the observation itself fails with it.
            guard !scheduler.immediateInitialValue() else {
                return start((try? reader.unsafeReentrantRead { try $0.startKey(key) }) ?? nil)
            }
            let pending = PendingStart()
            pending.register(with: (reader as? any ObservedDatabase)?.observationRegistry, label: label)
            reader.asyncUnsafeRead { db in
                let fetch = (try? db.get().startKey(key)) ?? nil
                DispatchQueue.main.async { pending.perform { start(fetch) } }
            }
            return AnyDatabaseCancellable(observer: pending)
        }
    }

    private var isComparable: Bool {
        let options = settings.options
        return Reducer._isTrivial && !settings.requiresWriteAccess && settings.events.isEmpty
            && !options.skipsInitialValue && options.throttle == nil && options.debounce == nil
            && options.pause == nil && options.windows.isEmpty
    }

    private func sharedWithEquals<Scheduler: ValueObservationScheduler>(
        _ fetch: FetchKey, in reader: any DatabaseReader, scheduling scheduler: Scheduler
    ) -> SharedValueObservation<Reducer.Value> {
        let options = settings.options
        let key = EqualityKey(
            reader: ObjectIdentifier(reader), fetch: fetch, reducer: ObjectIdentifier(Reducer.self),
            scheduler: ObjectIdentifier(Scheduler.self), label: options.label,
            coalescing: options.coalescing)
        let (running, others) = equalObservations.withLock { observations in
            // A last reference to another one is released outside of the lock.
            let others = observations.willClean ? observations.values : []
            return (observations.value(for: key) { shared(in: reader, scheduling: scheduler) }, others)
        }
        defer { withExtendedLifetime(others) {} }
        guard let running = running as? SharedValueObservation<Reducer.Value> else {
            trap("the key has the type")
        }
        return running
    }
}

extension Database {
    /// Returns the key of a fetch; `nil` if the next fetch can have another one.
    fileprivate func startKey(_ key: (Database) throws -> FetchKey?) throws -> FetchKey? {
        let count = appSQLCount
        let fetch = try key(self)
        return appSQLCount == count ? fetch : nil
    }
}

/// An observation that starts later, unless it is cancelled before.
private final class PendingStart: DatabaseCancellable {
    private struct State {
        var isCancelled = false
        var observation: AnyDatabaseCancellable?
        /// The observations of the database, until this one has started.
        var registry: ObservationRegistry?
    }

    private let state = Mutex(State())

    /// Adds the observation to those about to start.
    func register(with registry: ObservationRegistry?, label: String) {
        state.withLock { $0.registry = registry }
        registry?.willStart(self, label: label)
    }

    private func unregister() {
        let registry = state.withLock { $0.registry.take() }
        registry?.remove(self)
    }

    @MainActor
    func perform(_ start: @MainActor () -> AnyDatabaseCancellable) {
        // After the delivery of an equal observation's last value: it is scheduled on the main queue.
        defer { DispatchQueue.main.async { self.unregister() } }
        guard !state.withLock({ $0.isCancelled }) else { return }
        let observation = start()
        let outdated = state.withLock { state in
            if state.isCancelled { return Optional(observation) }
            state.observation = observation
            return nil
        }
        outdated?.cancel()
    }

    func cancel() {
        let observation = state.withLock { state in
            state.isCancelled = true
            defer { state.observation = nil }
            return state.observation
        }
        unregister()
        observation?.cancel()
    }
}
