import Synchronization
import VigilRegions
import VigilStorage

/// Reads for the observers of a pool: never on the writer, and for all that one commit made stale from one snapshot.
///
/// The writer says who is stale, and goes on. A commit that happens while an observer reads is not missed:
/// ``CommitLedger`` tells when the observer says what it has read.
final class ObservationScheduler: ObserverRefreshing, ObservationHost, Sendable {
    /// Who is to read, and why; without a registration the first time.
    private struct Stale: Sendable, Hashable {
        let observer: any CommitObserver
        let id: ObserverID?
        let reason: HitReason?

        static func == (a: Stale, b: Stale) -> Bool { a.observer === b.observer }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(observer)) }
    }

    private let machine = Mutex(RefreshMachine<Stale>())
    private let ledger: CommitLedger
    private let writer: ConnectionAccess
    private let readers: ReaderPool
    /// The file of the database, where foreign changes are observed.
    private let observedFile: (any StorageFile)?
    let log: ObservationLog?
    let observesChanges: Bool
    let registry = ObservationRegistry()
    private let lane: CommitLane

    init(
        ledger: CommitLedger, writer: ConnectionAccess, readers: ReaderPool, observedFile: (any StorageFile)?,
        configuration: Configuration
    ) {
        self.ledger = ledger
        self.writer = writer
        self.readers = readers
        self.observedFile = observedFile
        log = ObservationLog(configuration)
        observesChanges = !configuration.readonly || configuration.foreignChanges == .observed
        lane = CommitLane(ledger: ledger, writer: writer, readers: readers)
    }

    // MARK: - Host

    var coalesces: Bool { true }

    func refresh(_ observer: any CommitObserver, _ id: ObserverID?) {
        if observer.needsWriter {
            writer.async { [self] db in
                ifFileIsInPlace(observer) {
                    if let id { db.changes?.refresh(id, db) } else { db.changes?.begin(observer, db) }
                }
            }
        } else if observer.readsEachCommit {
            writer.async { [self] db in ifFileIsInPlace(observer) { lane.read(observer, db) } }
        } else {
            becameStale([Stale(observer: observer, id: id, reason: id.map { _ in .database })])
        }
    }

    func refreshNow(_ observer: any CommitObserver) {
        if observer.needsWriter {
            return writer.reentrantSync { db in
                ifFileIsInPlace(observer) { db.changes?.begin(observer, db) }
            }
        }
        // Where each commit is to be read, none may come between the first value and the registration.
        if observer.readsEachCommit {
            return writer.reentrantSync { db in ifFileIsInPlace(observer) { lane.begin(observer, db) } }
        }
        do {
            let loan = try readers.acquireInsideRead(asWriter: writer.isHeldByCaller)
            defer { readers.release(loan) }
            loan.access.sync { db in read([Stale(observer: observer, id: nil, reason: nil)], db) }
        } catch {
            observer.fail(error)
        }
    }

    private func ifFileIsInPlace(_ observer: any CommitObserver, _ body: () -> Void) {
        do {
            try observedFile?.check()
        } catch {
            return observer.fail(error)
        }
        body()
    }

    // MARK: - Refresh

    func didCommit(_ changes: ChangeSet, _ touched: [TouchedObserver], _ db: Database) {
        var eachCommit: [any CommitObserver] = []
        var stale: [Stale] = []
        for one in touched {
            if one.observer.readsEachCommit {
                eachCommit.append(one.observer)
            } else {
                stale.append(Stale(observer: one.observer, id: one.id, reason: one.reason))
            }
        }
        if !eachCommit.isEmpty || lane.needsEveryCommit { lane.didCommit(changes, eachCommit, db) }
        becameStale(stale)
    }

    private func becameStale(_ observers: [Stale]) {
        if machine.withLock({ $0.becameStale(observers) }) { borrowReader() }
    }

    private func borrowReader() {
        readers.acquire { [self] result in
            switch result {
            case .success(let loan):
                loan.access.async { [self] db in
                    read(machine.withLock { $0.beginRound() }, db)
                    readers.release(loan)
                    if machine.withLock({ $0.endRound() }) { borrowReader() }
                }
            case .failure(let error):
                for stale in machine.withLock({ $0.beginRound() }) { didNotRead(stale, error) }
                if machine.withLock({ $0.endRound() }) { borrowReader() }
            }
        }
    }

    private func didNotRead(_ stale: Stale, _ error: any Error) {
        if readers.isClosed, stale.id != nil {
            // Nothing will change any more: that is an end, not a failure.
            stale.observer.cancel()
        } else {
            stale.observer.fail(error)
        }
    }

    private func read(_ round: [Stale], _ db: Database) {
        // Asked before the snapshot is taken: it has all commits up to this one, perhaps more.
        let commit = ledger.last
        do {
            db.isReadByRound = true
            defer { db.isReadByRound = false }
            try observedFile?.check()
            try db.inReadOnlySnapshot {
                db.sharingFetches(among: round.count) {
                    for stale in round { read(stale, after: commit, db) }
                }
            }
        } catch {
            for stale in round { stale.observer.fail(error) }
        }
    }

    private func read(_ stale: Stale, after commit: CommitNumber, _ db: Database) {
        switch stale.observer.update(db, at: commit, because: stale.reason) {
        case .unchanged: break
        case .observes(let region): observe(region, stale, after: commit)
        case .ended:
            if let id = stale.id { remove(id) }
        }
    }

    private func observe(_ region: DatabaseRegion, _ stale: Stale, after commit: CommitNumber) {
        let id = stale.id ?? ledger.makeID()
        if stale.id == nil { stale.observer.willRegister(id) }
        let isStale = ledger.register(
            .init(id: id, observer: stale.id == nil ? stale.observer : nil, region: region), after: commit)
        if stale.id == nil {
            // From now on the writer must report rows. It may be busy: until it does, it counts commits.
            writer.async { $0.changes?.welcomeNewcomers() }
            stale.observer.didRegister(id)
        }
        if isStale, stale.observer.didChange(ObservationTrigger(commit: ledger.last, .database)) == .read {
            becameStale([Stale(observer: stale.observer, id: id, reason: .database)])
        }
    }

    func remove(_ observer: any CommitObserver, _ id: ObserverID) {
        if observer.readsEachCommit { lane.remove(observer) }
        remove(id)
    }

    private func remove(_ id: ObserverID) {
        writer.async { $0.changes?.remove(id) }
    }
}
