import Synchronization
import VigilLists
import VigilRegions
import VigilStorage

/// A list as of a commit, with everything that the next fetch needs.
///
/// An object, because it is stored and shared after each fetch.
final class ListSnapshot: Sendable {
    let machine: ListMachine
    /// The plan of the rows, or the reason for full fetches.
    let report: ListPlanReport
    /// The arguments of the request. They may change if the program defines the request.
    let arguments: [DatabaseValue]
    /// The ``Database/functionRevision`` of the connection that fetched the rows.
    let functionRevision: Int
    let region: DatabaseRegion
    /// The commit whose state the list shows; `nil` if the changes since the last fetch are not known.
    let base: CommitNumber?

    init(
        _ machine: ListMachine, _ report: ListPlanReport, arguments: [DatabaseValue],
        functionRevision: Int, region: DatabaseRegion, base: CommitNumber?
    ) {
        self.machine = machine
        self.report = report
        self.arguments = arguments
        self.functionRevision = functionRevision
        self.region = region
        self.base = base
    }

    /// A number that no other version of any list has; `nil` for a list that was never fetched.
    var version: UInt64? { machine.version?.number }
}

/// The state that a started observation of a list keeps between its fetches.
final class ListMemory: Sendable {
    private struct Guarded: Sendable {
        var last: ListSnapshot?
        /// The state before, if few rows have changed since.
        ///
        /// The consumer usually releases a version at the same time as the next one is stored. Its nodes are
        /// then freed by the thread that allocates the next ones, and not by one that runs beside it (bench:
        /// list-move).
        var previous: ListSnapshot?
        var statistics = ListStatistics()
        /// The values of changed rows that the links of the list need.
        var links: LinkUse?
    }

    // A fetch takes a copy of the state and stores it at its end, because a pool may fetch two commits at a
    // time: the older one on a reader, and the newer one on the writer.
    private let guarded = Mutex(Guarded())
    /// The commits of the database; `nil` if it cannot change.
    let ledger: CommitLedger?
    /// The type of the elements, on which the safety of all accesses to them depends.
    let elementType: any Any.Type

    init(of elementType: any Any.Type, ledger: CommitLedger?) {
        self.elementType = elementType
        self.ledger = ledger
        ledger?.didStartList()
    }

    deinit { ledger?.didEndList() }

    /// The state after the last fetch.
    var last: ListSnapshot? { guarded.withLock { $0.last } }

    var statistics: ListStatistics { guarded.withLock { $0.statistics } }

    /// Stores the state after a fetch.
    ///
    /// - Parameter keepsLast: whether the state before shares most nodes, and may be kept until the next
    ///   fetch.
    func store(
        _ snapshot: ListSnapshot, keepsLast: Bool = false, _ count: (inout ListStatistics) -> Void
    ) {
        let released = guarded.withLock { guarded in
            let released = (guarded.previous, keepsLast ? nil : guarded.last)
            guarded.previous = keepsLast ? guarded.last : nil
            guarded.last = snapshot
            count(&guarded.statistics)
            return released
        }
        // Release elements outside of the lock: their deinitialization may run any code.
        withExtendedLifetime(released) {}
    }

    /// Keeps the values of changed rows in the columns of links.
    func keepValues(of columns: LinkedColumns) {
        let released = guarded.withLock { guarded -> LinkUse? in
            let known = guarded.links
            if known?.columns == columns { return nil }
            guarded.links = ledger?.link(columns)
            return known
        }
        withExtendedLifetime(released) {}
    }

    /// Continues with the state of another observation, which has fetched equal rows from the same snapshot.
    func adopt(_ snapshot: ListSnapshot) {
        guard snapshot.machine.elementType == elementType else { return }
        store(snapshot) { _ in }
    }

    func count(_ body: (inout ListStatistics) -> Void) { guarded.withLock { body(&$0.statistics) } }
}
