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
            let (touched, changes) = index.commit()
            writer = .matched(touched, changes)
        case .matched(let touched, let changes):
            let newcomers = ledger.append(changes).newcomers
            if mutant == .newcomersNotMatched {
                newcomers.forEach { index.observe($0) }
                writer = .appended(touched, changes)
            } else {
                let told = index.welcome(newcomers, at: changes, touched: touched)
                writer = .appended(mutant == .newcomersToldTwice ? touched + told : told, changes)
            }
        case .appended(let touched, let changes):
            writer = .idle
            tell(touched, changes)
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
        case .welcome:
            let newcomers = ledger.append(ChangeSet()).newcomers
            if isClosed {
                for case let observer as ModelObserver in newcomers.map(\.observer) { cancel(observer) }
            } else {
                newcomers.forEach { index.observe($0) }
            }
        case .remove(let id): _ = index.remove(id)
        case .laneRead(let number): laneRead(observers[number])
        case .close: close()
        }
    }

    private func tell(_ touched: [TouchedObserver], _ changes: ChangeSet) {
        let waiting = touched.compactMap { one -> (ModelObserver, ObserverID)? in
            guard let observer = one.observer as? ModelObserver else { return nil }
            observer.reports.append(lastCommit)
            switch didChange(observer) {
            case .read: return (observer, one.id)
            case .wait: return nil
            case .sleep:
                index.putToSleep(one.id)
                return nil
            }
        }
        let each = waiting.filter(\.0.isEach).map(\.0)
        if !each.isEmpty || lane.hasUnsettled { laneDidCommit(changes, each) }
        becameStale(waiting.filter { !$0.0.isEach }.map { Stale(observer: $0.0.number, id: $0.1) })
    }

    // MARK: - Closing

    var canClose: Bool {
        guard !isBarred else { return false }
        return isUnused && laneTaken == nil && laneRounds.allSatisfy { $0.state == nil }
    }

    /// Whether no reader is leased for stale observers.
    private var isUnused: Bool {
        switch round {
        case .none, .borrowing: true
        default: false
        }
    }

    /// Whether a requested reader waits for the database to close.
    var waitsForBarrier: Bool {
        if case .borrowing = round { isBarred && !isClosed } else { false }
    }

    func close() {
        // The writer may have leased readers to the per-commit fetcher in the meantime.
        guard laneRounds.allSatisfy({ $0.state == nil }) else { return jobs.append(.close) }
        isClosed = true
        let ended = index.all
        index.removeAll()
        guard mutant != .closingUnheard else { return }
        for case let observer as ModelObserver in ended { cancel(observer) }
    }
}
