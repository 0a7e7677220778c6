import Synchronization
import VigilRegions
import VigilStorage

extension ValueObserver {
    func didFetch(
        _ fetched: Reducer.Fetched, digest: ResultDigest?, list: ListSnapshot?,
        at commit: CommitNumber, in batch: DeliveryBatch?
    ) {
        var isUnchanged = false
        let (answer, skip, isHeld) = state.withLock { state in
            let (answer, skip) = (state.machine.didFetch(), state.skip)
            if answer != .drop { state.skip = nil }
            state.postponement = nil
            if answer != .drop, state.monitor != nil { state.counts.willDeliver() }
            let isHeld = state.holdsValues && skip == nil
            if answer != .drop, isHeld { hold(fetched, at: commit) }
            // An outdated value is not reduced: the one after it differs from no value.
            let isKnown = answer != .drop && skip != .outdated
            if digest != nil { isUnchanged = skip == nil && !isHeld && state.digest == digest }
            if isKnown { state.digest = digest }
            if let list {
                let version = list.version
                isUnchanged = skip == nil && !isHeld && version != nil && state.listVersion == version
                if isKnown { state.listVersion = version }
            }
            return (answer, skip, isHeld)
        }
        guard case .deliver(let startsThrottlingInterval) = answer else { return }
        if startsThrottlingInterval { startThrottlingInterval() }
        if let skip { return didSkip(skip, fetched, at: commit) }
        if isHeld { return }
        if isUnchanged { return didReduceToNothing() }
        if let reduction {
            reduction.schedule(fetched, at: commit) { [self] in deliver($0) }
        } else {
            deliverReduced(fetched, at: commit, in: batch)
        }
    }

    /// Holds a value until ``_deliverImmediately()`` is called. Called with the lock of the state.
    // Not inlined: it would look up the type of the element for values that are not held.
    @inline(never)
    private func hold(_ fetched: Reducer.Fetched, at commit: CommitNumber) {
        output.heldValues.append((fetched, commit))
    }

    /// Reduces a fetched value here, with a reducer that is trivial, and delivers it.
    private func deliverReduced(
        _ fetched: Reducer.Fetched, at commit: CommitNumber, in batch: DeliveryBatch?
    ) {
        var reducer = reducer
        do {
            guard let value = try reducer._value(fetched, at: commit) else { return didReduceToNothing() }
            schedule(value, in: batch)
        } catch {
            reductionDidFail(error)
        }
    }

    private func didSkip(_ skip: SkippedValue, _ fetched: Reducer.Fetched, at commit: CommitNumber) {
        guard skip == .initial, let reduction else { return deliver(nil) }
        reduction.schedule(fetched, at: commit) { [self] result in
            if case .failure? = result { deliver(result) } else { deliver(nil) }
        }
    }

    private func reduced(
        _ fetched: Reducer.Fetched, at commit: CommitNumber
    ) -> Result<Reducer.Value, any Error>? {
        if let reduction { return reduction.reduceNow(fetched, at: commit) }
        var reducer = reducer
        return reducer.reduce(fetched, at: commit)
    }

    private func schedule(_ value: Reducer.Value, in batch: DeliveryBatch? = nil) {
        if let batch, let queue = scheduler._deliveryQueue {
            batch.add(to: queue) { [self] in notify(value) }
        } else {
            scheduler.schedule { [self] in notify(value) }
        }
    }

    private func deliver(_ result: Result<Reducer.Value, any Error>?) {
        switch result {
        case .success(let value): schedule(value)
        case .failure(let error): reductionDidFail(error)
        case nil: didReduceToNothing()
        }
    }

    private func didReduceToNothing() {
        state.withLock { $0.counts.didSkip() }
        act { $0.didReduceToNothing() }
    }

    private func notify(_ value: Reducer.Value) {
        var callbacks: Callbacks?
        var since: ContinuousClock.Instant?
        let monitor = state.withLock { state in
            callbacks = output.callbacks
            if callbacks != nil { since = state.counts.didNotify() }
            return state.monitor
        }
        guard let callbacks else { return }
        monitor?.didDeliver(after: since.map { .now - $0 })
        callbacks.onChange(value)
        act { $0.didDeliver() }
    }

    func _deliverImmediately() {
        var (isInitial, hasScheduled, hasFailed) = (true, false, false)
        while let heldValues = takeHeldValues() {
            // No value follows an error of the reducer.
            for (fetched, commit) in heldValues where !hasFailed {
                switch reduced(fetched, at: commit) {
                case .success(let value)? where isInitial:
                    isInitial = false
                    notify(value)
                case .success(let value)?:
                    hasScheduled = true
                    schedule(value)
                case .failure(let error)?:
                    hasFailed = true
                    reductionDidFail(error)
                case nil: didReduceToNothing()
                }
            }
        }
        let error = state.withLock { state in
            defer { state.heldError = nil }
            return state.heldError
        }
        guard let error else { return }
        if hasScheduled {
            scheduler.schedule { [self] in notify(failure: error) }
        } else {
            notify(failure: error)
        }
    }

    /// Removes and returns the held values. Returns `nil` after the last; later values are
    /// then delivered without delay.
    private func takeHeldValues() -> [(fetched: Reducer.Fetched, commit: CommitNumber)]? {
        state.withLock { state in
            if output.heldValues.isEmpty { state.holdsValues = false }
            defer { output.heldValues = [] }
            return state.holdsValues ? output.heldValues : nil
        }
    }
}
