import Synchronization
import VigilRegions

extension ValueObserver {
    var route: FetchRoute { state.withLock { $0.route } }

    var commitBeforeStart: CommitNumber? { state.withLock { $0.commitBeforeStart } }

    var slowFetch: SlowFetch? { state.withLock { $0.slowFetch } }

    func didMatch(_ commit: CommitNumber) {
        state.withLock { $0.listBase.didMatch(commit) }
    }

    func didRegisterRegion() {
        state.withLock { $0.listBase.didRegister() }
    }

    /// Continues with a list that another observer has fetched in the same round.
    func adopt(_ list: ListSnapshot) {
        let memory = state.withLock { state in
            state.listBase.didFetch()
            return state.list
        }
        memory?.adopt(list)
    }

    // MARK: - Postponed fetches

    func postponeFetch(after error: any Error) -> Duration? {
        let (pause, isFirst) = state.withLock { state -> (Duration?, Bool) in
            guard state.machine.didNotFetch() else { return (nil, false) }
            let postponement = FetchPostponement(error, after: state.postponement)
            defer { state.postponement = postponement }
            return (postponement.pause, state.postponement == nil)
        }
        if let pause { logPostponement(pause, error, isFirst: isFirst) }
        return pause
    }

    var needsPostponedFetch: Bool { state.withLock { $0.machine.needsPostponedFetch } }

    // MARK: - Throttling and debouncing

    /// Starts the interval after a fetch in which a throttled observation does not fetch.
    func startThrottlingInterval() {
        guard let interval = settings.options.throttle else { return }
        settings.options.timer.schedule(after: interval) { [weak self] in
            self?.act { $0.throttlingIntervalDidEnd() }
        }
    }

    /// Starts the interval in which a debounced observation waits for further commits, unless it is running.
    func startDebounceInterval() {
        guard let interval = settings.options.debounce else { return }
        let timer = settings.options.timer
        let now = timer.now
        let delay = state.withLock { state in
            state.machine.isSettling ? state.debounce.didMatchCommit(at: now, interval: interval) : nil
        }
        if let delay { startDebounceTimer(delay) }
    }

    private func startDebounceTimer(_ delay: Duration) {
        settings.options.timer.schedule(after: delay) { [weak self] in self?.debounceTimerDidFire() }
    }

    private func debounceTimerDidFire() {
        guard let interval = settings.options.debounce else { return }
        let now = settings.options.timer.now
        let (delay, host, id) = state.withLock { state in
            if let delay = state.debounce.timerDidFire(at: now, interval: interval) {
                return (Duration?.some(delay), (any ObservationHost)?.none, state.id)
            }
            // In the same step: a commit after it begins another interval.
            return (
                nil, state.machine.debounceIntervalDidEnd() == .scheduleFetch ? state.host : nil, state.id
            )
        }
        if let delay { startDebounceTimer(delay) }
        host?.scheduleFetch(self, id)
    }
}
