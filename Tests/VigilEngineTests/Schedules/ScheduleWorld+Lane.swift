import VigilRegions

@testable import VigilEngine

/// The model of per-commit fetches.
extension ScheduleWorld {
    private typealias Turn = CommitLaneMachine<Int>.Turn

    // MARK: - On the writer

    func laneDidCommit(_ changes: ChangeSet, _ hits: [ModelObserver]) {
        let turns = lane.turns(at: ledger.last, hits: hits.map(\.number))
        addLaneRound(turns, changes)
    }

    func laneRead(_ observer: ModelObserver) {
        addLaneRound([lane.turn(observer.number, at: ledger.last)], .wholeDatabase)
    }

    private func addLaneRound(_ turns: [Turn], _ changes: ChangeSet) {
        guard !turns.isEmpty else { return }
        let commit = lastCommit
        let state = database.lastCommit
        let reads = isClosed || chance(3)
        let readings = reads ? turns.map { laneReading(observers[$0.observer], commit, state) } : []
        laneRounds.append(
            LaneRound(
                commit: commit, changes: changes, turns: turns, state: reads ? nil : state,
                readings: readings))
        if mutant == .laneOutOfOrder { laneRounds.shuffle(using: &random) }
    }

    private func laneReading(_ observer: ModelObserver, _ commit: Int, _ state: Int) -> LaneReading {
        guard observer.machine.willFetch(at: ledger.last) else {
            return LaneReading(ended: observer.machine.isEnded)
        }
        if isClosed || failsSometimes && chance(20) {
            fail(observer)
            return LaneReading(ended: true)
        }
        return LaneReading(
            reading: .init(
                value: observer.query.value(in: database.states[state]), commit: commit, state: state))
    }

    // MARK: - Off the writer

    func goOnInLane() {
        if let (turn, reading) = laneTaken {
            laneTaken = nil
            return laneObserve(turn, reading)
        }
        guard let round = laneRounds.first else { return }
        guard let turn = round.turns.first else {
            laneRounds.removeFirst()
            return
        }
        laneRounds[0].turns.removeFirst()
        let known = round.readings.first
        if known != nil { laneRounds[0].readings.removeFirst() }
        take(turn, round, known)
    }

    private func take(_ turn: Turn, _ round: LaneRound, _ known: LaneReading?) {
        let observer = observers[turn.observer]
        let region = laneKnown[turn.observer]?.region
        let takes =
            mutant == .laneTrustsIndex && region != nil
            ? turn.isHit
            : lane.takes(turn) { region?.isModified(by: round.changes) ?? true }
        guard takes else { return lane.didEnd(turn) }
        if !turn.isHit, didChange(observer) != .read { return lane.didEnd(turn) }
        let result = known ?? laneReading(observer, round.commit, round.state ?? round.commit)
        if result.ended { return laneRemove(observer) }
        guard let reading = result.reading else { return lane.didEnd(turn) }
        laneTaken = (turn, reading)
    }

    private func laneObserve(_ turn: Turn, _ reading: ModelObserver.Reading) {
        let observer = observers[turn.observer]
        defer { deliver(reading, observer) }
        guard let region = renewal(observer, in: database.states[reading.state]) else {
            return lane.didEnd(turn)
        }
        let known = laneKnown[observer.number]
        if let known, known.region == region { return lane.didEnd(turn) }
        let id = known?.id ?? ledger.makeID()
        let last = ledger.register(.init(id: id, observer: known == nil ? observer : nil, region: region))
        laneKnown[observer.number] = (id, region)
        lane.didEnd(turn, registration: last)
        if known == nil {
            jobs.append(.welcome)
            didRegister(observer, id)
        }
    }

    func laneRemove(_ observer: ModelObserver) {
        lane.remove(observer.number)
        if let known = laneKnown.removeValue(forKey: observer.number) { jobs.append(.remove(known.id)) }
    }
}
