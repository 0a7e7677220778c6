import Synchronization
import VigilRegions

/// Fetches once per commit, in commit order, for the observers of a pool with `coalescing(.never)`.
///
/// After a commit, the writer waits until a reader has begun a snapshot of it, and continues. The snapshots
/// are read one after the other, so values are delivered in commit order. If no reader is idle, the writer
/// fetches itself: it never waits for a reader to become idle.
final class CommitLane: Sendable {
    private struct Member: Sendable, Hashable {
        let observer: any CommitObserver

        static func == (a: Member, b: Member) -> Bool { a.observer === b.observer }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(observer)) }
    }

    private typealias Turn = CommitLaneMachine<Member>.Turn

    private struct Round: Sendable {
        let commit: CommitNumber
        let changes: ChangeSet
        let turns: [Turn]
        let source: Source
    }

    private enum Source: Sendable {
        /// A leased reader with a snapshot of the commit.
        case reader(ReaderPool.Loan)
        /// The values that the writer has fetched, in the order of the turns.
        case readings([ObserverReading])
    }

    private struct Known: Sendable {
        let id: ObserverID
        var region: DatabaseRegion
    }

    private struct State {
        var machine = CommitLaneMachine<Member>()
        var rounds: [Round] = []
        var isBusy = false
        var known: [Member: Known] = [:]
    }

    private let state = Mutex(State())
    private let ledger: CommitLedger
    private let writer: ConnectionAccess
    private let readers: ReaderPool

    init(ledger: CommitLedger, writer: ConnectionAccess, readers: ReaderPool) {
        self.ledger = ledger
        self.writer = writer
        self.readers = readers
    }

    // MARK: - On the writer

    /// Whether the lane must be notified of every commit, including those that match no observer.
    var needsEveryCommit: Bool { state.withLock { $0.machine.hasUnsettled } }

    /// Fetches a commit for the matched observers, and queues a turn for observers whose region is not known
    /// yet.
    func didCommit(_ changes: ChangeSet, _ hits: [any CommitObserver], _ db: Database) {
        let commit = ledger.last
        let turns = state.withLock { $0.machine.turns(at: commit, hits: hits.map(Member.init)) }
        add(turns, commit, changes, db)
    }

    /// Fetches and registers a new observer before it returns. It runs on the writer, so no commit can occur
    /// between the fetch and the registration.
    func begin(_ observer: any CommitObserver, _ db: Database) {
        db.changes?.begin(observer, db) { id, region in
            state.withLock { $0.known[Member(observer: observer)] = Known(id: id, region: region) }
        }
    }

    /// Fetches the last commit for one observer: for the first time, or because an earlier fetch was not
    /// possible.
    func read(_ observer: any CommitObserver, _ db: Database) {
        let commit = ledger.last
        let turn = state.withLock { $0.machine.turn(Member(observer: observer), at: commit) }
        add([turn], commit, .wholeDatabase, db)
    }

    private func add(_ turns: [Turn], _ commit: CommitNumber, _ changes: ChangeSet, _ db: Database) {
        guard !turns.isEmpty else { return }
        let source = source(turns, commit, db)
        let begins = state.withLock { state in
            state.rounds.append(Round(commit: commit, changes: changes, turns: turns, source: source))
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if begins { readNext() }
    }

    /// Leases an idle reader and begins a snapshot of the commit, or fetches on the writer if there is none.
    private func source(_ turns: [Turn], _ commit: CommitNumber, _ db: Database) -> Source {
        if let loan = readers.acquireIfIdle() {
            do {
                try loan.access.sync { try $0.beginSnapshot() }
                return .reader(loan)
            } catch {
                readers.release(loan)
            }
        }
        return .readings(
            turns.map { $0.observer.observer.read(db, at: commit, because: reason($0.observer)) })
    }

    // MARK: - Elsewhere

    /// Processes the next queued round, if there is one, and then the rounds after it.
    private func readNext() {
        let round = state.withLock { state -> Round? in
            guard !state.rounds.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.rounds.removeFirst()
        }
        guard let round else { return }
        switch round.source {
        case .reader(let loan):
            loan.access.async { [self] db in
                db.isReadByRound = true
                db.sharingFetches(among: round.turns.count) {
                    for turn in round.turns {
                        take(turn, round) { read(turn.observer, round, db) }
                    }
                }
                db.isReadByRound = false
                db.endSnapshot()
                readers.release(loan)
                readNext()
            }
        case .readings(let readings):
            for (turn, reading) in zip(round.turns, readings) { take(turn, round) { reading } }
            readNext()
        }
    }

    private func read(_ member: Member, _ round: Round, _ db: Database) -> ObserverReading {
        // An error in another observer's fetch may have ended the transaction: the connection would now read
        // a later commit.
        guard db.isInsideTransaction else {
            member.observer.fail(DatabaseError.snapshotIsLost)
            return ObserverReading(renewal: .ended)
        }
        return member.observer.read(db, at: round.commit, because: reason(member))
    }

    /// Returns the reason to fetch, or `nil` for the initial fetch of an observer.
    private func reason(_ member: Member) -> HitReason? {
        state.withLock { $0.known[member] == nil ? nil : .database }
    }

    /// Fetches and delivers for one turn, if the machine decides that the commit modified the observer's
    /// region.
    private func take(_ turn: Turn, _ round: Round, _ read: () -> ObserverReading) {
        let takes = state.withLock { state in
            let region = state.known[turn.observer]?.region
            return state.machine.takes(turn) {
                region.map { ledger.trusted($0).isModified(by: round.changes) } ?? true
            }
        }
        guard takes else { return state.withLock { $0.machine.didEnd(turn) } }
        if !turn.isHit {
            let trigger = ObservationTrigger(commit: round.commit, .database)
            guard turn.observer.observer.didChange(trigger) == .read else {
                return state.withLock { $0.machine.didEnd(turn) }
            }
        }
        let reading = read()
        switch reading.renewal {
        case .ended: remove(turn.observer)
        case .unchanged:
            state.withLock { $0.machine.didEnd(turn) }
        case .observes(let region): observe(region, turn)
        }
        reading.deliver?()
    }

    /// Registers the region that an observer has read, if it differs from the previous one.
    private func observe(_ region: DatabaseRegion, _ turn: Turn) {
        let member = turn.observer
        let known = state.withLock { $0.known[member] }
        if let known, known.region == region {
            return state.withLock { $0.machine.didEnd(turn) }
        }
        let id = known?.id ?? ledger.makeID()
        let last = ledger.register(
            .init(id: id, observer: known == nil ? member.observer : nil, region: region))
        state.withLock { state in
            state.known[member] = Known(id: id, region: region)
            state.machine.didEnd(turn, registration: last)
        }
        if known == nil {
            writer.async { $0.changes?.welcomeNewcomers() }
            member.observer.didRegister(id)
        }
    }

    // MARK: - End

    func remove(_ observer: any CommitObserver) {
        remove(Member(observer: observer))
    }

    private func remove(_ member: Member) {
        let known = state.withLock { state in
            state.machine.remove(member)
            return state.known.removeValue(forKey: member)
        }
        if let known { writer.async { $0.changes?.remove(known.id) } }
    }
}

extension DatabaseError {
    fileprivate static var snapshotIsLost: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT_ROLLBACK,
            message: "the state of the commit is lost: an error ended the read transaction that held it")
    }
}
