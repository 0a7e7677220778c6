import Synchronization
import VigilRegions

/// Fetches once per commit, in commit order, for the observers of a pool with `coalescing(.never)`.
///
/// After a commit, the writer waits until a reader has begun a snapshot of it, and continues. The snapshots
/// are read one after the other, so values are delivered in commit order. If no reader is idle, the writer
/// fetches itself: it never waits for a reader to become idle.
final class PerCommitFetcher: Sendable {
    private struct Member: Sendable, Hashable {
        let observer: any CommitObserver

        static func == (a: Member, b: Member) -> Bool { a.observer === b.observer }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(observer)) }
    }

    private typealias Turn = PerCommitFetchMachine<Member>.Turn

    private struct Round: Sendable {
        let commit: CommitNumber
        let changes: ChangeSet
        let turns: [Turn]
        let source: Source
    }

    private enum Source: Sendable {
        /// A leased reader with a snapshot of the commit.
        case reader(ReaderPool.Lease, detectsForeignCommits: Bool)
        /// The values that the writer has fetched, in the order of the turns.
        case fetched([ObserverFetch])
    }

    /// The rounds that have not begun, in commit order.
    ///
    /// Their number is not limited. At most as many rounds as the pool has readers hold a snapshot; the others hold
    /// the values that the writer has fetched. `coalescing(.never)` promises one value for each commit, so none of
    /// them can be dropped. To wait instead would make the writer wait for the observers' fetches, and these may in
    /// turn wait for the writer. An observation whose values arrive faster than they are consumed must coalesce.
    private struct Rounds: Sendable {
        private var added: [Round] = []
        /// The first rounds, in reverse order.
        private var first: [Round] = []

        mutating func append(_ round: Round) { added.append(round) }

        mutating func popFirst() -> Round? {
            if first.isEmpty {
                first = added.reversed()
                added = []
            }
            return first.popLast()
        }
    }

    private struct Known: Sendable {
        let id: ObserverID
        var region: DatabaseRegion
    }

    private struct State {
        var machine = PerCommitFetchMachine<Member>()
        var rounds = Rounds()
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

    /// Whether the fetcher must be notified of every commit, including those that match no observer.
    var needsEveryCommit: Bool { state.withLock { $0.machine.hasUnsettled } }

    /// Fetches a commit for the matched observers, and queues a turn for observers whose region is not known
    /// yet.
    func didCommit(_ changes: ChangeSet, _ matches: [any CommitObserver], _ db: Database) {
        let commit = ledger.last
        let turns = state.withLock { $0.machine.turns(at: commit, matches: matches.map(Member.init)) }
        add(turns, commit, changes, db)
    }

    /// Fetches for a new observer, registers it, and then returns. This runs on the writer, so no commit can occur
    /// between the fetch and the registration.
    func fetchAndRegister(_ observer: any CommitObserver, _ db: Database) {
        db.writerFetcher?.fetchAndRegister(observer, db) { id, region in
            state.withLock { $0.known[Member(observer: observer)] = Known(id: id, region: region) }
        }
    }

    /// Fetches the last commit for one observer: for the first time, or because an earlier fetch was not
    /// possible.
    func fetch(_ observer: any CommitObserver, _ db: Database) {
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
        if begins { processRounds() }
    }

    /// Leases an idle reader and begins a snapshot of the commit, or fetches on the writer if there is none.
    private func source(_ turns: [Turn], _ commit: CommitNumber, _ db: Database) -> Source {
        if let lease = readers.acquireIfIdle() {
            do {
                let detects = ledger.detectsForeignCommits
                try lease.access.sync { try $0.beginSnapshot() }
                return .reader(lease, detectsForeignCommits: detects)
            } catch {
                readers.release(lease)
            }
        }
        return .fetched(
            turns.map { $0.observer.observer.fetch(db, at: commit, because: reason($0.observer)) })
    }

    // MARK: - On readers

    /// Processes the queued rounds until there are none, or until the next one continues on a reader.
    private func processRounds() {
        while let round = nextRound() {
            switch round.source {
            case .reader(let lease, let detects):
                return process(round, on: lease, detectsForeignCommits: detects)
            case .fetched(let results):
                for (turn, result) in zip(round.turns, results) { process(turn, round) { result } }
            }
        }
    }

    private func nextRound() -> Round? {
        state.withLock { state in
            let round = state.rounds.popFirst()
            if round == nil { state.isBusy = false }
            return round
        }
    }

    /// Processes a round on the reader that holds its snapshot, and then the rounds after it.
    private func process(_ round: Round, on lease: ReaderPool.Lease, detectsForeignCommits: Bool) {
        lease.access.async { [self] db in
            let context = FetchContext(
                isInterruptible: true, detectsForeignCommits: detectsForeignCommits)
            db.sharingFetches(among: round.turns.count, context) {
                for turn in round.turns {
                    process(turn, round) { fetch(turn.observer, round, db) }
                }
            }
            db.endSnapshot()
            readers.release(lease)
            processRounds()
        }
    }

    private func fetch(_ member: Member, _ round: Round, _ db: Database) -> ObserverFetch {
        // An error in another observer's fetch may have ended the transaction: the connection would now read
        // a later commit.
        guard db.isInsideTransaction else {
            member.observer.fail(DatabaseError.snapshotIsLost)
            return ObserverFetch(renewal: .ended)
        }
        return member.observer.fetch(db, at: round.commit, because: reason(member))
    }

    /// Returns the reason to fetch, or `nil` for the initial fetch of an observer.
    private func reason(_ member: Member) -> MatchReason? {
        state.withLock { $0.known[member] == nil ? nil : .database }
    }

    /// Fetches and delivers for one turn, if the machine decides that the commit modified the observer's
    /// region.
    private func process(_ turn: Turn, _ round: Round, _ fetch: () -> ObserverFetch) {
        let shouldFetch = state.withLock { state in
            let region = state.known[turn.observer]?.region
            return state.machine.shouldFetch(turn) {
                region.map { ledger.trusted($0).isModified(by: round.changes) } ?? true
            }
        }
        guard shouldFetch else { return state.withLock { $0.machine.didEnd(turn) } }
        if !turn.isMatched {
            let trigger = ObservationTrigger(commit: round.commit, .database)
            guard turn.observer.observer.didChange(trigger) == .fetch else {
                return state.withLock { $0.machine.didEnd(turn) }
            }
        }
        let result = fetch()
        switch result.renewal {
        case .ended, .postponed: remove(turn.observer)
        case .unchanged:
            state.withLock { $0.machine.didEnd(turn) }
        case .observes(let region): observe(region, turn)
        }
        result.deliver?()
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
            writer.async { $0.coordinator?.registerPending() }
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
        if let known { writer.async { $0.coordinator?.unregister(known.id) } }
    }
}

extension DatabaseError {
    fileprivate static var snapshotIsLost: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT_ROLLBACK,
            message: "the state of the commit is lost: an error ended the read transaction that held it")
    }
}
