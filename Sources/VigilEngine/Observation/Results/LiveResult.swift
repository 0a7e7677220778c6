import Synchronization
import VigilLists
import VigilRegions
import VigilStorage

/// The result of a statement that observations run again and again, kept up to date row by row.
///
/// The result of an expensive statement is not kept before its second change. Then, all contributions are
/// fetched once.
final class LiveResult: Sendable {
    /// The state between fetches. It has no copies, because each fetch changes it in place.
    struct Kept: ~Copyable, Sendable {
        var machine: GroupMachine
        var rows: ShownRows
        /// The commit whose state the machine has.
        var base: CommitNumber
        /// The ``Database/functionRevision`` of the connection that fetched the contributions.
        let functionRevision: Int
        /// The cost of the statement, in steps of the virtual machine.
        let cost: Int

        var byteCount: Int { machine.byteCount + rows.byteCount }
    }

    /// The rows of a statement with few steps, cheap to run compared with the contributions of all rows. It
    /// runs after each change of its region.
    struct KeptRows: Sendable {
        let shape: GroupShape
        let rows: [Row]
        let region: DatabaseRegion
        var base: CommitNumber
        let functionRevision: Int
    }

    /// The use of the result by a fetch.
    enum Use: ~Copyable {
        /// Runs the statement.
        case run
        /// Runs the statement, and begins to keep its result.
        case build
        /// Updates the result, and then calls ``LiveResult/didFetch(_:rowCount:isUnknown:)``.
        case update(Kept)
        /// Updates the rows, and then calls ``LiveResult/didFetch(_:byteCount:rowCount:reason:)``.
        case updateList(ListMemory)
        /// Returns the rows if they have not changed, or else does the same as for ``build``.
        case reuse(KeptRows)
    }

    /// The number of changes for which the changed rows are not kept in the meantime.
    private static let longPause = 8

    private enum Phase: ~Copyable, Sendable {
        /// The result is not kept before this number of further changes.
        case waiting(changes: Int)
        /// A fetch uses the result. Others run the statement.
        case taken
        case kept(Kept)
        case keptList(ListMemory)
        case keptRows(KeptRows)
    }

    private struct State: ~Copyable, Sendable {
        var phase = Phase.waiting(changes: 1)
        /// The number of changes to wait for after the next failure.
        var pause = 1
        /// Whether the ledger keeps the changed rows.
        var isFollowing = false
        /// The values of changed rows that links need.
        var links: LinkUse?
        var statistics: ResultStatistics
    }

    private let state: Mutex<State>
    let sql: String
    let arguments: [DatabaseValue]
    let ledger: CommitLedger

    init(_ sql: String, _ arguments: [DatabaseValue], ledger: CommitLedger) {
        self.sql = sql
        self.arguments = arguments
        self.ledger = ledger
        state = Mutex(State(statistics: ResultStatistics(sql: sql)))
        ledger.liveResults.didCreate()
    }

    deinit {
        ledger.liveResults.didRelease(byteCount: statistics.byteCount)
        if state.withLock({ $0.isFollowing }) { ledger.didEndList() }
    }

    var statistics: ResultStatistics { state.withLock { $0.statistics } }

    /// The number of fetches other than of changed rows. Each of them may move the bound of a kept window.
    var bound: Int { statistics.fetchCounts.values.reduce(0, +) }

    /// Whether the next fetch can update the result.
    var isKept: Bool {
        state.withLock { state in
            switch state.phase {
            case .kept: return true
            case .keptList: return true
            case .keptRows: return true
            default: return false
            }
        }
    }

    /// Decides what a fetch does.
    func willFetch() -> Use {
        state.withLock { state in
            var phase = Phase.taken
            swap(&phase, &state.phase)
            switch consume phase {
            case .taken: return .run
            case .kept(let kept): return .update(kept)
            case .keptList(let list): return .updateList(list)
            case .keptRows(let rows): return .reuse(rows)
            case .waiting(let changes) where changes > 0:
                state.phase = .waiting(changes: changes - 1)
                // The changes after the fetch that builds are needed, so they are kept from the one before.
                guard changes == 1, !state.isFollowing else { return .run }
                state.isFollowing = true
                ledger.didStartList()
                return .run
            case .waiting: return .build
            }
        }
    }

    /// Keeps the result after a fetch.
    ///
    /// - Parameter rowCount: the number of rows that were looked up; `nil` after all were fetched.
    func didFetch(_ kept: consuming Kept, rowCount: Int?, isUnknown: Bool = false) {
        let reason = rowCount == nil ? "first contributions" : isUnknown ? Self.unknown : nil
        let byteCount = kept.byteCount
        keep(.kept(kept), byteCount: byteCount, rowCount: rowCount, reason: reason)
    }

    /// Keeps the rows after a fetch.
    ///
    /// - Parameter reason: why all rows were fetched; `nil` if changed rows were looked up.
    func didFetch(_ list: ListMemory, byteCount: Int, rowCount: Int, reason: String?) {
        keep(
            .keptList(list), byteCount: byteCount, rowCount: reason == nil ? rowCount : nil, reason: reason)
    }

    /// Keeps the rows after a run, or after a fetch without one.
    ///
    /// - Parameter hasRun: whether the statement has run.
    func didFetch(_ rows: KeptRows, hasRun: Bool) {
        keep(
            .keptRows(rows), byteCount: rows.rows.byteCount, rowCount: hasRun ? nil : 0,
            reason: hasRun ? "its rows may have changed" : nil)
    }

    private func keep(_ phase: consuming Phase, byteCount: Int, rowCount: Int?, reason: String?) {
        var kept: Phase? = phase
        let difference = state.withLock { state in
            defer { state.statistics.byteCount = byteCount }
            if let phase = kept.take() { state.phase = phase }
            state.statistics.failure = nil
            if let rowCount {
                state.statistics.updateCount += 1
                state.statistics.rowCount += rowCount
                if reason == nil { state.pause = 1 }
            }
            if let reason { state.statistics.fetchCounts[reason, default: 0] += 1 }
            return byteCount - state.statistics.byteCount
        }
        ledger.liveResults.didChange(byteCount: difference)
    }

    /// Keeps the values of changed rows in the columns of links.
    func keepValues(of columns: LinkedColumns) {
        let released = state.withLock { state -> LinkUse? in
            let known = state.links
            if known?.columns == columns { return nil }
            state.links = ledger.link(columns)
            return known
        }
        withExtendedLifetime(released) {}
    }

    static let unknown = "the result depends on the order of the rows"

    /// Releases what was kept, and runs the statement for some changes.
    func didFail(_ reason: String) {
        let difference = state.withLock { state in
            defer { state.statistics.byteCount = 0 }
            state.phase = .waiting(changes: state.pause)
            if state.isFollowing, state.pause >= Self.longPause {
                state.isFollowing = false
                ledger.didEndList()
            }
            state.pause = min(state.pause * 2, 1_024)
            state.statistics.fetchCounts[reason, default: 0] += 1
            state.statistics.failure = reason
            return -state.statistics.byteCount
        }
        ledger.liveResults.didChange(byteCount: difference)
    }
}

/// How the result of a statement is kept up to date, for debugging and monitoring. See
/// ``ObservationStatus/results``.
public struct ResultStatistics: Sendable, Equatable {
    /// The statement.
    public let sql: String
    /// The number of fetches that updated the result row by row, or found it unchanged, instead of running
    /// the statement.
    public internal(set) var updateCount = 0
    /// The number of rows that these fetches looked up.
    public internal(set) var rowCount = 0
    /// The number of other fetches, by their reason, such as `unknown changes`.
    public internal(set) var fetchCounts: [String: Int] = [:]
    /// Why the result is not kept now; `nil` if it is, or before it is kept for the first time.
    public internal(set) var failure: String?
    /// The memory for keeping the result, roughly, in bytes.
    public internal(set) var byteCount = 0

    init(sql: String) { self.sql = sql }
}
