@testable import VigilEngine

/// The invariants of every schedule.
extension ScheduleWorld {
    // MARK: - During the schedule

    /// Checks a fetch of an observer that fetches the newest state.
    func willFetch(_ observer: ModelObserver, _ commit: Int, _ state: Int) {
        observer.inFlight += 1
        if observer.inFlight > 1 { problem("\(observer.number): two fetches at a time") }
        if observer.isPauseAsked { problem("\(observer.number): a fetch while it is paused") }
        if observer.hasDemand {
            observer.requested -= 1
            if observer.requested < 0 { problem("\(observer.number): more values than were requested") }
        }
        if !isExplained(observer), !observer.isPostponed {
            problem("\(observer.number): a fetch without a reason")
        }
        observer.isPostponed = false
        observer.reports = []
        observer.fetches.append(
            .init(commit: commit, rows: observer.query.rows(in: database.states[state])))
    }

    /// Takes a fetch back that could not read the database.
    func didNotFetch(_ observer: ModelObserver) {
        observer.inFlight = 0
        observer.requested += observer.hasDemand ? 1 : 0
        observer.isPostponed = true
        observer.fetches.removeLast()
    }

    /// Returns whether this is the first fetch, or a commit matched the region of the last fetch or, before
    /// that region was registered, the region of the fetch before it. A commit may also be reported after
    /// fetches that contain it.
    private func isExplained(_ observer: ModelObserver) -> Bool {
        guard let last = observer.fetches.last else { return true }
        if database.changed(last.rows, in: (last.commit + 1)..<(lastCommit + 1)) { return true }
        if observer.reports.contains(where: { isMatched($0, observer) }) { return true }
        guard let previous = observer.fetches.dropLast().last else { return false }
        let end = min(last.registration, lastCommit)
        return end > previous.commit
            && database.changed(previous.rows, in: (previous.commit + 1)...end)
    }

    /// Returns whether a commit matched the region that was registered at that time.
    private func isMatched(_ commit: Int, _ observer: ModelObserver) -> Bool {
        let registered = observer.fetches.last { $0.registration < commit }
        return registered.map { database.changed($0.rows, in: CollectionOfOne(commit)) } ?? false
    }

    func check(_ reading: ModelObserver.Reading, _ observer: ModelObserver) {
        let number = observer.number
        if observer.isCancelled { problem("\(number): a value after it was cancelled") }
        if observer.isFailed { problem("\(number): a value after an error") }
        if reading.state < reading.commit { problem("\(number): a value older than its commit number") }
        if observer.isEach, reading.state != reading.commit {
            problem("\(number): a value of another commit")
        }
        guard let last = observer.readings.last else { return }
        if reading.commit < last.commit || reading.state < last.state {
            problem("\(number): values out of order")
        }
    }

    // MARK: - After the schedule

    /// Resumes paused observers and requests values for those with demand, and runs until no step is left.
    func calmDown() {
        for observer in observers where observer.isPausable { pause(observer, false) }
        runUntilQuiet()
        for observer in observers where observer.hasDemand && observer.isLive {
            for _ in 0..<3 {
                request(observer)
                runUntilQuiet()
            }
        }
    }

    func checkAtRest() {
        for observer in observers where observer.isStarted {
            if isClosed, !observer.machine.isEnded {
                problem("\(observer.number): continues in a closed database")
            }
            if observer.isEach { checkEachCommit(observer) }
            guard observer.isLive, let state = database.states.last else { continue }
            let value = observer.query.value(in: state)
            if observer.readings.last?.value != value {
                problem(
                    "\(observer.number): the last value is lost: \(observer.readings.last?.value ?? []), not \(value)"
                )
            }
        }
    }

    /// Checks that there is one value for each commit that matched the region, and no other.
    private func checkEachCommit(_ observer: ModelObserver) {
        guard !observer.wasPaused, let first = observer.readings.first else { return }
        var rows = observer.query.rows(in: database.states[first.state])
        var expected = [first.state]
        for commit in database.states.indices.dropFirst(first.state + 1)
        where database.changed(rows, in: CollectionOfOne(commit)) {
            expected.append(commit)
            rows = observer.query.rows(in: database.states[commit])
        }
        let commits = observer.readings.map(\.state)
        let isRight = observer.isLive ? commits == expected : expected.starts(with: commits)
        if !isRight { problem("\(observer.number): values of commits \(commits), not \(expected)") }
    }

    /// Ends all observations, and checks that they are unregistered and wait for no fetch.
    func endAll() {
        for observer in observers { cancel(observer) }
        runUntilQuiet()
        if !index.isEmpty { problem("\(index.count) observers are registered after their end") }
        if !perCommitKnown.isEmpty || (perCommit.hasPendingRegions && !isClosed) {
            problem("the per-commit fetcher retains observers that have ended")
        }
        if !rounds.stale.isEmpty || rounds.isWaitingForSlowReader || !lanes.isEmpty {
            problem("an observer waits for a fetch after the end")
        }
    }
}
