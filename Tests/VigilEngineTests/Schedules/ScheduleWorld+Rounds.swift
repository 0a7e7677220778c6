import VigilRegions

@testable import VigilEngine

/// The model of a pool's observation rounds.
extension ScheduleWorld {
    var isInRound: Bool {
        if case .none = round { false } else { true }
    }

    func becameStale(_ stale: [Stale]) {
        if mutant == .roundsSideBySide, !stale.isEmpty, case .fetching(let round) = round {
            self.round = .fetching(
                Round(stale: round.stale + stale, commit: round.commit, state: round.state))
            return
        }
        let isInitial = stale.contains { $0.id == nil }
        perform(rounds.becameStale(stale, isInitial: isInitial && mutant != .initialFetchPaused))
        if isInitial, !isInRound { problem("an initial fetch waits for the end of a pause") }
        checkRoundsGoOn()
    }

    private func perform(_ action: FetchRoundMachine<Stale>.Action) {
        switch action {
        case .none, .hurry: break
        case .lease: leaseReader()
        case .pause(let duration, let pause):
            if duration > RoundPacing.maximumAge { problem("a pause of \(duration)") }
            if isInRound { problem("a pause during a round") }
            pauses.append((pause, duration))
        }
    }

    /// Checks that stale observers wait for something that is going to happen.
    private func checkRoundsGoOn() {
        guard !rounds.stale.isEmpty, !isInRound, pauses.isEmpty else { return }
        problem("stale observers wait, and no round is going to begin")
    }

    /// Fires the timer of a pause.
    func endPause() {
        guard let index = pauses.indices.randomElement(using: &random) else { return }
        let (pause, duration) = pauses.remove(at: index)
        now += duration
        if mutant == .pauseNotEnded { return }
        perform(rounds.pauseDidEnd(pause))
        checkRoundsGoOn()
    }

    func endPauseAtClose() {
        perform(rounds.endPause())
    }

    private func leaseReader() {
        if isInRound { problem("two concurrent rounds") }
        round = .leasing
    }

    func goOnReading() {
        switch round {
        case .none: break
        case .leasing: beginRound()
        case .begun(let stale):
            round =
                mutant == .numberAfterSnapshot
                ? .opening(stale, commit: nil, state: database.lastCommit)
                : .opening(stale, commit: lastCommit, state: nil)
        case .opening(let stale, let commit, let state):
            round = .reading(
                Round(stale: stale, commit: commit ?? lastCommit, state: state ?? database.lastCommit))
        case .reading(let round): beginFetch(round)
        case .fetching(let round): fetch(round)
        case .fetched(let round, let region, let reading): willRegister(round, region, reading)
        case .registering(let round, let region, let id, let reading): register(round, region, id, reading)
        case .registered(let round, let id, let isStale, let reading):
            didRegister(round, id, isStale, reading)
        }
    }

    var lastCommit: Int { Int(ledger.last.rawValue) }

    private func beginRound() {
        let stale = rounds.beginRound(at: now)
        guard !isClosed else {
            for match in stale {
                if match.id != nil {
                    cancel(observers[match.observer])
                } else {
                    fail(observers[match.observer])
                }
            }
            return endRound()
        }
        round = .begun(stale)
    }

    private func endRound() {
        round = .none
        // Rounds take different times, and reads run beside some of them.
        now +=
            [.zero, .microseconds(100), .milliseconds(3), .milliseconds(30)][
                Int.random(in: 0...3, using: &random)]
        perform(rounds.endRound(at: now, reads: chance(2)))
        checkRoundsGoOn()
    }

    private func next(_ round: Round) {
        var round = round
        round.stale.removeFirst()
        self.round = .reading(round)
    }

    private func beginFetch(_ round: Round) {
        guard let stale = round.stale.first else { return endRound() }
        let observer = observers[stale.observer]
        switch observer.machine.willFetch(at: CommitNumber(rawValue: UInt64(round.commit))) {
        case .fetch:
            willFetch(observer, round.commit, round.state)
            self.round = .fetching(round)
        case .skip: next(round)
        case .unregister:
            if let id = stale.id { jobs.append(.remove(id)) }
            next(round)
        }
    }

    private func fetch(_ round: Round) {
        guard let stale = round.stale.first else { return endRound() }
        let observer = observers[stale.observer]
        if failsSometimes, chance(20) {
            fail(observer)
            if let id = stale.id { jobs.append(.remove(id)) }
            return next(round)
        }
        let state = database.states[round.state]
        let region = renewal(observer, in: state)
        let reading = ModelObserver.Reading(
            value: observer.query.value(in: state), commit: round.commit, state: round.state)
        guard let region else {
            deliver(reading, observer)
            return next(round)
        }
        self.round = .fetched(round, region, reading)
    }

    private func willRegister(_ round: Round, _ region: DatabaseRegion, _ reading: ModelObserver.Reading) {
        guard let stale = round.stale.first else { return endRound() }
        let id = stale.id ?? ledger.makeID()
        if stale.id == nil { willRegister(observers[stale.observer], id) }
        self.round = .registering(round, region, id, reading)
    }

    private func register(
        _ round: Round, _ region: DatabaseRegion, _ id: ObserverID, _ reading: ModelObserver.Reading
    ) {
        guard let stale = round.stale.first else { return endRound() }
        let observer = observers[stale.observer]
        let commit = CommitNumber(rawValue: UInt64(round.commit))
        let modification = ledger.register(
            .init(id: id, observer: stale.id == nil ? observer : nil, region: region), after: commit)
        observer.didRegister(at: lastCommit)
        if stale.id == nil { jobs.append(.registerPending) }
        let isStale = modification != nil
        self.round = .registered(round, id, isStale: isStale && mutant != .replayLeftOut, reading)
    }

    private func didRegister(
        _ round: Round, _ id: ObserverID, _ isStale: Bool, _ reading: ModelObserver.Reading
    ) {
        guard let stale = round.stale.first else { return endRound() }
        let observer = observers[stale.observer]
        if stale.id == nil { didRegister(observer, id) }
        deliver(reading, observer)
        next(round)
        if isStale, didChange(observer) == .fetch {
            becameStale([Stale(observer: observer.number, id: id)])
        }
    }
}

extension ModelObserver {
    func didRegister(at commit: Int) {
        guard !fetches.isEmpty else { return }
        fetches[fetches.count - 1].registration = commit
    }
}
