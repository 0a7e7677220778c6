import VigilRegions

@testable import VigilEngine

/// The model of per-commit fetches.
extension ScheduleWorld {
    private typealias Turn = PerCommitFetchMachine<Int>.Turn

    // MARK: - On the writer

    func perCommitDidCommit(_ changes: ChangeSet, _ matches: [ModelObserver]) {
        let turns = perCommit.turns(at: ledger.last, matches: matches.map(\.number))
        addPerCommitRound(turns, changes)
    }

    func perCommitRead(_ observer: ModelObserver) {
        addPerCommitRound([perCommit.turn(observer.number, at: ledger.last)], .wholeDatabase)
    }

    private func addPerCommitRound(_ turns: [Turn], _ changes: ChangeSet) {
        guard !turns.isEmpty else { return }
        let commit = lastCommit
        let state = database.lastCommit
        let reads = isClosed || chance(3)
        let readings = reads ? turns.map { perCommitReading(observers[$0.observer], commit, state) } : []
        perCommitRounds.append(
            PerCommitRound(
                commit: commit, changes: changes, turns: turns, state: reads ? nil : state,
                readings: readings))
        if mutant == .perCommitOutOfOrder { perCommitRounds.shuffle(using: &random) }
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
        if let (turn, reading) = perCommitTaken {
            perCommitTaken = nil
            return perCommitObserve(turn, reading)
        }
        guard let round = perCommitRounds.first else { return }
        guard let turn = round.turns.first else {
            perCommitRounds.removeFirst()
            return
        }
        perCommitRounds[0].turns.removeFirst()
        let known = round.readings.first
        if known != nil { perCommitRounds[0].readings.removeFirst() }
        take(turn, round, known)
    }

    private func take(_ turn: Turn, _ round: PerCommitRound, _ known: PerCommitReading?) {
        let observer = observers[turn.observer]
        let region = perCommitKnown[turn.observer]?.region
        let shouldFetch =
            mutant == .perCommitTrustsIndex && region != nil
            ? turn.isMatched
            : perCommit.shouldFetch(turn) { region?.isModified(by: round.changes) ?? true }
        guard shouldFetch else { return perCommit.didEnd(turn) }
        if !turn.isMatched, didChange(observer) != .fetch { return perCommit.didEnd(turn) }
        let result = known ?? perCommitReading(observer, round.commit, round.state ?? round.commit)
        if result.ended { return perCommitRemove(observer) }
        guard let reading = result.reading else { return perCommit.didEnd(turn) }
        perCommitTaken = (turn, reading)
    }

    private func perCommitObserve(_ turn: Turn, _ reading: ModelObserver.Reading) {
        let observer = observers[turn.observer]
        defer { deliver(reading, observer) }
        guard let region = renewal(observer, in: database.states[reading.state]) else {
            return perCommit.didEnd(turn)
        }
        let known = perCommitKnown[observer.number]
        if let known, known.region == region { return perCommit.didEnd(turn) }
        let id = known?.id ?? ledger.makeID()
        let last = ledger.register(.init(id: id, observer: known == nil ? observer : nil, region: region))
        perCommitKnown[observer.number] = (id, region)
        perCommit.didRegister(turn.observer, after: last)
        perCommit.didEnd(turn)
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
