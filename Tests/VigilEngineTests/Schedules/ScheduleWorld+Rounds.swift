import VigilRegions

@testable import VigilEngine

/// The model of a pool's observation rounds.
extension ScheduleWorld {
    typealias RoundNumber = FetchRoundMachine<Stale>.RoundNumber

    /// Whether a round is requested or running that delays the next one.
    private var isInRound: Bool { !lanes.allSatisfy { isSlow($0) } }

    /// Whether a round is requested or running beside which others can run.
    private func isSlow(_ lane: RoundStage) -> Bool {
        if case .leasing(let isSlow) = lane { isSlow } else { lane.number != rounds.current }
    }

    func becameStale(_ stale: [Stale]) {
        if bug == .staleJoinsRound, !stale.isEmpty, joinRunningRound(stale) { return }
        let isInitial = stale.contains { $0.id == nil }
        perform(rounds.becameStale(stale, isInitial: isInitial && bug != .initialFetchPaused))
        if isInitial, rounds.isFetching, rounds.beginsWatch() { watches += 1 }
        if isInitial, !isInRound { problem("an initial fetch waits for the end of a pause") }
        checkRoundsGoOn()
    }

    private func joinRunningRound(_ stale: [Stale]) -> Bool {
        for index in lanes.indices {
            guard case .fetching(var round) = lanes[index] else { continue }
            round.joined += stale
            lanes[index] = .fetching(round)
            return true
        }
        return false
    }

    private func perform(_ action: FetchRoundMachine<Stale>.Action) {
        switch action {
        case .none, .hurry: break
        case .lease:
            if isInRound { problem("two concurrent rounds") }
            lanes.append(.leasing(isSlow: false))
        case .pause(let duration, let pause):
            if duration > RoundPacing.maximumAge { problem("a pause of \(duration)") }
            if isInRound { problem("a pause during a round") }
            pauses.append((pause, duration))
        }
    }

    private func requestSlowReaders() {
        while rounds.requestsSlowReader() { lanes.append(.leasing(isSlow: true)) }
    }

    /// Checks that stale observers wait for something that is going to happen.
    private func checkRoundsGoOn() {
        if !rounds.stale.isEmpty, !isInRound, pauses.isEmpty {
            problem("stale observers wait, and no round is going to begin")
        }
        if rounds.isWaitingForSlowReader, !lanes.contains(where: { isSlow($0) }) {
            problem("observers with slow fetches wait, and no reader was requested")
        }
        if lanes.count > readerCount { problem("\(lanes.count) readers instead of \(readerCount)") }
    }

    /// Fires the timer of a pause.
    func endPause() {
        guard let index = pauses.indices.randomElement(using: &random) else { return }
        let (pause, duration) = pauses.remove(at: index)
        now += duration
        if bug == .pauseNotEnded { return }
        perform(rounds.pauseDidEnd(pause))
        checkRoundsGoOn()
    }

    func endPauseAtClose() {
        perform(rounds.endPause())
    }

    /// Fires the timer of postponed fetches.
    func endPostponement() {
        guard let index = postponements.indices.randomElement(using: &random) else { return }
        let number = postponements.remove(at: index)
        if bug == .postponedFetchForgotten { return }
        perform(rounds.postponementDidEnd(number))
        checkRoundsGoOn()
    }

    /// Fires the timer that watches for slow fetches.
    func endWatch() {
        // The time that passes in between is chosen at the end of rounds.
        watches -= 1
        let (action, continues) = rounds.watchDidFire(at: now)
        perform(action)
        if continues { watches += 1 }
        checkRoundsGoOn()
    }

    // MARK: - Readers

    /// The readers of rounds that can continue.
    var readyLanes: [Int] {
        lanes.indices.filter { index in
            guard case .leasing = lanes[index] else { return true }
            return !isBarred || isClosed
        }
    }

    func goOnReading() {
        guard let index = readyLanes.randomElement(using: &random) else { return }
        if let stage = stage(after: lanes[index]) {
            lanes[index] = stage
        } else {
            let lane = lanes.remove(at: index)
            if let number = lane.number { endRound(number) }
        }
    }

    private func stage(after lane: RoundStage) -> RoundStage? {
        switch lane {
        case .leasing(let isSlow): return isSlow ? beginSlowRound() : beginRound()
        case .separating(let stale, _): return startRound(stale)
        case .begun(let number, let observers):
            return bug == .numberAfterSnapshot
                ? .opening(number, observers, commit: nil, state: database.lastCommit)
                : .opening(number, observers, commit: lastCommit, state: nil)
        case .opening(let number, let observers, let commit, let state):
            return .reading(
                Round(
                    number: number, commit: commit ?? lastCommit, state: state ?? database.lastCommit,
                    observers: observers))
        case .reading(let round): return beginFetch(round)
        case .fetching(let round): return fetch(round)
        case .fetched(let round, let region, let reading): return willRegister(round, region, reading)
        case .registering(let round, let region, let id, let reading):
            return register(round, region, id, reading)
        case .registered(let round, let id, let isStale, let reading):
            return didRegister(round, id, isStale, reading)
        case .ended: return nil
        }
    }

    var lastCommit: Int { Int(ledger.last.rawValue) }

    private func beginRound() -> RoundStage {
        let stale = rounds.beginRound(at: now)
        return .separating(stale, rounds.current ?? 0)
    }

    private func startRound(_ stale: [Stale]) -> RoundStage {
        let (slow, others) = (stale.filter { isSlow($0) }, stale.filter { !isSlow($0) })
        let groups = Dictionary(grouping: slow) { observers[$0.observer].query }
        let number = rounds.startRound(
            others, slow: ModelQuery.allCases.compactMap { groups[$0] })
        if !others.isEmpty, rounds.beginsWatch() { watches += 1 }
        requestSlowReaders()
        return started(number)
    }

    private func isSlow(_ stale: Stale) -> Bool { observers[stale.observer].isSlow }

    private func beginSlowRound() -> RoundStage { started(rounds.beginSlowRound()) }

    private func started(_ number: RoundNumber) -> RoundStage {
        let stale = Array(rounds.rest(of: number))
        guard isClosed else { return .begun(number, stale) }
        for match in stale {
            if match.id != nil { cancel(observers[match.observer]) } else { fail(observers[match.observer]) }
        }
        return .ended(number)
    }

    private func endRound(_ number: RoundNumber) {
        // Rounds take different times, and reads run beside some of them.
        let durations: [Duration] = [.milliseconds(3), .milliseconds(30), .zero, .microseconds(100)]
        now += durations[Int.random(in: 0...(isBusy ? 1 : 3), using: &random)]
        perform(rounds.endRound(number, at: now, reads: isBusy || chance(2)))
        if bug != .slowFetchForgotten { requestSlowReaders() }
        checkRoundsGoOn()
        guard let stale = postponed.removeValue(forKey: number) else { return }
        postponements.append(rounds.postpone(stale))
        if isClosed { endPauseAtClose() }
    }

    // MARK: - Fetches

    private func next(_ round: Round) -> RoundStage {
        var round = round
        round.current = nil
        return .reading(round)
    }

    private func nextFetch(_ round: inout Round) -> Stale? {
        let next = rounds.nextFetch(in: round.number)
        if !round.joined.isEmpty, next == nil { return round.joined.removeFirst() }
        guard bug == .overtakenRoundContinues else { return next }
        return round.observers.isEmpty ? nil : round.observers.removeFirst()
    }

    private func beginFetch(_ round: Round) -> RoundStage {
        var round = round
        guard let stale = nextFetch(&round) else { return .ended(round.number) }
        round.current = stale
        let observer = observers[stale.observer]
        switch observer.machine.willFetch(at: CommitNumber(rawValue: UInt64(round.commit))) {
        case .fetch:
            willFetch(observer, round.commit, round.state)
            return .fetching(round)
        case .skip: return next(round)
        case .unregister:
            if let id = stale.id { jobs.append(.remove(id)) }
            return next(round)
        }
    }

    private func fetch(_ round: Round) -> RoundStage {
        guard let stale = round.current else { return next(round) }
        let observer = observers[stale.observer]
        if failsSometimes, chance(20) {
            fail(observer)
            if let id = stale.id { jobs.append(.remove(id)) }
            return next(round)
        }
        if postponesSometimes, chance(6) {
            if observer.machine.didNotFetch() {
                postponed[round.number, default: []].append(stale)
                didNotFetch(observer)
            } else if let id = stale.id {
                jobs.append(.remove(id))
            }
            return next(round)
        }
        observer.isSlow = chance(4)
        let state = database.states[round.state]
        let region = renewal(observer, in: state)
        let reading = ModelObserver.Reading(
            value: observer.query.value(in: state), commit: round.commit, state: round.state)
        guard let region else {
            deliver(reading, observer)
            return next(round)
        }
        return .fetched(round, region, reading)
    }

    private func willRegister(
        _ round: Round, _ region: DatabaseRegion, _ reading: ModelObserver.Reading
    ) -> RoundStage {
        guard let stale = round.current else { return next(round) }
        let id = stale.id ?? ledger.makeID()
        if stale.id == nil { willRegister(observers[stale.observer], id) }
        return .registering(round, region, id, reading)
    }

    private func register(
        _ round: Round, _ region: DatabaseRegion, _ id: ObserverID, _ reading: ModelObserver.Reading
    ) -> RoundStage {
        guard let stale = round.current else { return next(round) }
        let observer = observers[stale.observer]
        let commit = CommitNumber(rawValue: UInt64(round.commit))
        let modification = ledger.register(
            .init(id: id, observer: stale.id == nil ? observer : nil, region: region), after: commit)
        observer.didRegister(at: lastCommit)
        if stale.id == nil { jobs.append(.registerPending) }
        let isStale = modification != nil
        return .registered(round, id, isStale: isStale && bug != .replayLeftOut, reading)
    }

    private func didRegister(
        _ round: Round, _ id: ObserverID, _ isStale: Bool, _ reading: ModelObserver.Reading
    ) -> RoundStage {
        guard let stale = round.current else { return next(round) }
        let observer = observers[stale.observer]
        if stale.id == nil { didRegister(observer, id) }
        let answer = isStale ? didChange(observer) : .wait
        deliver(reading, observer)
        if answer == .fetch { becameStale([Stale(observer: observer.number, id: id)]) }
        return next(round)
    }
}

extension ScheduleWorld.RoundStage {
    /// The number of the round, `nil` before it begins.
    var number: ScheduleWorld.RoundNumber? {
        switch self {
        case .leasing: nil
        case .separating(_, let number), .begun(let number, _), .opening(let number, _, _, _),
            .ended(let number):
            number
        case .reading(let round), .fetching(let round), .fetched(let round, _, _),
            .registering(let round, _, _, _), .registered(let round, _, _, _):
            round.number
        }
    }
}

extension ModelObserver {
    func didRegister(at commit: Int) {
        guard !fetches.isEmpty else { return }
        fetches[fetches.count - 1].registration = commit
    }
}
