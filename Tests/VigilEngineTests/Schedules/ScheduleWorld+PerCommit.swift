import VigilRegions

@testable import VigilEngine

/// The model of per-commit fetches.
extension ScheduleWorld {
    private typealias QueuedFetch = PerCommitFetchMachine<Int>.QueuedFetch

    // MARK: - On the writer

    func perCommitDidCommit(_ changes: ChangeSet, _ matches: [ModelObserver]) {
        let fetches = perCommit.queue(matches: matches.map(\.number), at: ledger.last)
        addPerCommitRound(fetches, changes)
    }

    func perCommitRead(_ observer: ModelObserver) {
        addPerCommitRound([perCommit.queue(observer.number, at: ledger.last)], .wholeDatabase)
    }

    private func addPerCommitRound(_ fetches: [QueuedFetch], _ changes: ChangeSet) {
        guard !fetches.isEmpty else { return }
        let commit = lastCommit
        let state = database.lastCommit
        let reads = isClosed || chance(3)
        let readings = reads ? fetches.map { perCommitReading(observers[$0.observer], commit, state) } : []
        perCommitRounds.append(
            PerCommitRound(
                commit: commit, changes: changes, fetches: fetches, state: reads ? nil : state,
                readings: readings))
        if bug == .perCommitOutOfOrder { perCommitRounds.shuffle(using: &random) }
    }

    private func perCommitReading(_ observer: ModelObserver, _ commit: Int, _ state: Int) -> PerCommitReading
    {
        guard observer.machine.willFetch(at: ledger.last) == .fetch else {
            return PerCommitReading(ended: observer.machine.isEnded)
        }
        if isClosed || failsSometimes && chance(20) {
            fail(observer)
            return PerCommitReading(ended: true)
        }
        return PerCommitReading(
            reading: .init(
                value: observer.query.value(in: database.states[state]), commit: commit, state: state))
    }

    // MARK: - Off the writer

    func continuePerCommit() {
        if let (queued, reading) = perCommitTaken {
            perCommitTaken = nil
            return perCommitObserve(queued, reading)
        }
        guard let round = perCommitRounds.first else { return }
        guard let queued = round.fetches.first else {
            perCommitRounds.removeFirst()
            return
        }
        perCommitRounds[0].fetches.removeFirst()
        let known = round.readings.first
        if known != nil { perCommitRounds[0].readings.removeFirst() }
        run(queued, round, known)
    }

    private func run(_ queued: QueuedFetch, _ round: PerCommitRound, _ known: PerCommitReading?) {
        let observer = observers[queued.observer]
        let region = perCommitKnown[queued.observer]?.region
        let shouldFetch =
            bug == .perCommitTrustsIndex && region != nil
            ? queued.isMatched
            : perCommit.shouldFetch(queued) { region?.isModified(by: round.changes) ?? true }
        guard shouldFetch else { return perCommit.didEnd(queued) }
        if !queued.isMatched, didChange(observer) != .fetch { return perCommit.didEnd(queued) }
        let result = known ?? perCommitReading(observer, round.commit, round.state ?? round.commit)
        if result.ended { return perCommitRemove(observer) }
        guard let reading = result.reading else { return perCommit.didEnd(queued) }
        perCommitTaken = (queued, reading)
    }

    private func perCommitObserve(_ queued: QueuedFetch, _ reading: ModelObserver.Reading) {
        let observer = observers[queued.observer]
        defer { deliver(reading, observer) }
        guard let region = renewal(observer, in: database.states[reading.state]) else {
            return perCommit.didEnd(queued)
        }
        let known = perCommitKnown[observer.number]
        if let known, known.region == region { return perCommit.didEnd(queued) }
        let id = known?.id ?? ledger.makeID()
        let last = ledger.register(.init(id: id, observer: known == nil ? observer : nil, region: region))
        perCommitKnown[observer.number] = (id, region)
        perCommit.didRegister(queued.observer, after: last)
        perCommit.didEnd(queued)
        if known == nil {
            jobs.append(.registerPending)
            didRegister(observer, id)
        }
    }

    func perCommitRemove(_ observer: ModelObserver) {
        perCommit.remove(observer.number)
        if let known = perCommitKnown.removeValue(forKey: observer.number) { jobs.append(.remove(known.id)) }
    }
}
