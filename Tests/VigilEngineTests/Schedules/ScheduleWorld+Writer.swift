import VigilRegions
import VigilStorage

@testable import VigilEngine

/// The model of the commit coordinator on the writing connection.
extension ScheduleWorld {
    var isWriterIdle: Bool {
        if case .idle = writer { jobs.isEmpty } else { false }
    }

    func goOnWriting() {
        switch writer {
        case .idle: takeJob()
        case .recorded(let rows):
            database.commit(rows)
            writer = .durable
        case .durable:
            let (matched, changes) = index.commit()
            writer = .matched(matched, changes)
        case .matched(let matched, let changes):
            let registrations = ledger.append(changes).registrations
            if bug == .registrationsNotMatched {
                registrations.forEach { index.register($0) }
                writer = .appended(matched, changes)
            } else {
                let registered = index.register(registrations, at: changes, matched: matched)
                writer = .appended(
                    bug == .registrationsNotifiedTwice ? matched + registered : registered, changes)
            }
        case .appended(let matched, let changes):
            writer = .idle
            notify(matched, changes)
        }
    }

    private func takeJob() {
        guard !jobs.isEmpty else { return }
        switch jobs.removeFirst() {
        case .commit(let rows):
            guard !isClosed else { return }
            for row in rows {
                index.record(
                    .row(
                        RowChange(
                            table: ModelDatabase.table, kind: .update, oldKey: .integer(row),
                            newKey: .integer(row))))
            }
            writer = .recorded(rows)
        case .registerPending:
            let registrations = ledger.append(ChangeSet()).registrations
            if isClosed {
                for case let observer as ModelObserver in registrations.map(\.observer) { cancel(observer) }
            } else {
                registrations.forEach { index.register($0) }
            }
        case .remove(let id): _ = index.unregister(id)
        case .perCommitRead(let number): perCommitRead(observers[number])
        case .close: close()
        }
    }

    private func notify(_ matched: [StaleObserver], _ changes: ChangeSet) {
        let waiting = matched.compactMap { match -> (ModelObserver, ObserverID)? in
            guard let observer = match.observer as? ModelObserver else { return nil }
            observer.reports.append(lastCommit)
            switch didChange(observer) {
            case .fetch: return (observer, match.id)
            case .wait: return nil
            case .disarm:
                index.disarm(match.id)
                return nil
            }
        }
        let each = waiting.filter(\.0.isEach).map(\.0)
        if !each.isEmpty || perCommit.hasPendingRegions { perCommitDidCommit(changes, each) }
        becameStale(waiting.filter { !$0.0.isEach }.map { Stale(observer: $0.0.number, id: $0.1) })
    }

    // MARK: - Closing

    var canClose: Bool {
        guard !isBarred else { return false }
        return isUnused && perCommitTaken == nil && perCommitRounds.allSatisfy { $0.state == nil }
    }

    /// Whether no reader is leased for stale observers.
    private var isUnused: Bool {
        lanes.allSatisfy { lane in
            if case .leasing = lane { true } else { false }
        }
    }

    func close() {
        // The writer may have leased readers to the per-commit fetcher in the meantime.
        guard perCommitRounds.allSatisfy({ $0.state == nil }) else { return jobs.append(.close) }
        isClosed = true
        let ended = index.all
        index.removeAll()
        guard bug != .closingNotNotified else { return }
        for case let observer as ModelObserver in ended { cancel(observer) }
        endPauseAtClose()
    }
}
