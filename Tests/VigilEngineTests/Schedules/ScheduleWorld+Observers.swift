import VigilRegions

@testable import VigilEngine

/// The model of value observers.
extension ScheduleWorld {
    func start(_ observer: ModelObserver) {
        observer.isStarted = true
        act(observer) { $0.start() }
    }

    private func scheduleFetch(_ observer: ModelObserver) {
        if observer.isEach {
            jobs.append(.perCommitRead(observer.number))
        } else {
            becameStale([Stale(observer: observer.number, id: observer.id)])
        }
    }

    func act(_ observer: ModelObserver, _ event: (inout ObservationMachine) -> ObservationMachine.Action) {
        if event(&observer.machine) == .scheduleFetch { scheduleFetch(observer) }
    }

    func didChange(_ observer: ModelObserver, _ commit: CommitNumber? = nil) -> ChangeAnswer {
        let commit = bug == .commitsNotNumbered ? .zero : commit ?? ledger.last
        if observer.machine.didMatchCommit(commit) == .scheduleFetch { return .fetch }
        guard !observer.isEach, observer.machine.mayDisarm, observer.isRegistered else { return .wait }
        observer.isDisarmed = true
        return .disarm
    }

    /// Returns the region that an observer registers after a fetch; `nil` if its region has not changed.
    func renewal(_ observer: ModelObserver, in state: [Int]) -> DatabaseRegion? {
        defer { observer.isDisarmed = false }
        let isRearmed = observer.isDisarmed && bug != .disarmedForgotten
        if observer.isConstant, observer.isRegistered, !isRearmed { return nil }
        observer.isRegistered = true
        return observer.query.region(in: state)
    }

    func pause(_ observer: ModelObserver, _ isPaused: Bool) {
        observer.isPauseAsked = isPaused
        if isPaused { observer.wasPaused = true }
        guard bug != .pauseIgnored else { return }
        act(observer) { $0.setPaused(isPaused) }
    }

    func request(_ observer: ModelObserver) {
        observer.requested += 1
        act(observer) { $0.request(1) }
    }

    // MARK: - Values

    func deliver(_ reading: ModelObserver.Reading, _ observer: ModelObserver) {
        guard case .deliver(let startsThrottlingInterval) = observer.machine.didFetch() else {
            observer.inFlight = 0
            return
        }
        if startsThrottlingInterval { observer.timers += 1 }
        if observer.removesDuplicates, observer.lastReduced == reading.value {
            observer.inFlight = 0
            observer.requested += observer.hasDemand ? 1 : 0
            return act(observer) { $0.didReduceToNothing() }
        }
        observer.lastReduced = reading.value
        observer.messages.append(.value(reading))
        if bug == .consumerNotAwaited { act(observer) { $0.didDeliver() } }
    }

    func consume(_ observer: ModelObserver) {
        let message = observer.messages.removeFirst()
        guard observer.hasCallbacks else { return }
        switch message {
        case .error:
            observer.isFailed = true
            observer.hasCallbacks = bug == .valuesAfterError
        case .value(let reading):
            check(reading, observer)
            observer.readings.append(reading)
            observer.inFlight = 0
            if bug == .staleValueForgotten {
                _ = observer.machine.didDeliver()
                _ = observer.machine.willFetch(at: ledger.last)
                _ = observer.machine.didFetch()
                _ = observer.machine.didDeliver()
            } else {
                act(observer) { $0.didDeliver() }
            }
        }
    }

    // MARK: - End

    func willRegister(_ observer: ModelObserver, _ id: ObserverID) {
        if !observer.machine.isEnded { observer.id = id }
    }

    func didRegister(_ observer: ModelObserver, _ id: ObserverID) {
        guard observer.machine.isEnded else {
            observer.id = id
            return
        }
        if bug != .registeredAfterEnd { remove(observer, id) }
    }

    private func remove(_ observer: ModelObserver, _ id: ObserverID) {
        if observer.isEach { perCommitRemove(observer) }
        jobs.append(.remove(id))
    }

    func fail(_ observer: ModelObserver) {
        if bug == .valuesAfterError {
            observer.messages.append(.error)
            return
        }
        guard observer.machine.didFail() else { return }
        leave(observer)
        observer.messages.append(.error)
    }

    func cancel(_ observer: ModelObserver) {
        if observer.machine.cancel() { leave(observer) }
        observer.isCancelled = true
        if bug != .deliveryAfterCancel { observer.hasCallbacks = false }
    }

    private func leave(_ observer: ModelObserver) {
        guard let id = observer.id else { return }
        observer.id = nil
        remove(observer, id)
    }
}
