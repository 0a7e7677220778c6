import Synchronization
import VigilLists
import VigilRegions
import VigilStorage

/// The memory of a list of elements of one type.
final class TypedListMemory<Element: Sendable>: ListMemory {
    /// A list as of a commit. An object, because it is stored and shared after each fetch.
    final class State: ListSnapshot {
        let machine: ListMachine<Element>
        /// The plan of the machine.
        let plan: ResultPlan?
        /// The arguments of the request. Those of a request that the program defines may change.
        let arguments: [DatabaseValue]
        /// The region of the request.
        let region: DatabaseRegion
        /// The commit whose state the list shows; `nil` if the changes since the last fetch are not known.
        let base: CommitNumber?

        init(
            _ machine: ListMachine<Element>, _ plan: ResultPlan?, _ arguments: [DatabaseValue],
            _ region: DatabaseRegion, _ base: CommitNumber?
        ) {
            self.machine = machine
            self.plan = plan
            self.arguments = arguments
            self.region = region
            self.base = base
        }

        var version: UInt64? { machine.list?.versionNumber }
    }

    private struct Guarded: Sendable {
        var state: State?
        var status = ListStatus()
    }

    // A fetch takes a copy of the state and stores it at its end, because a pool may fetch two commits at a time: the
    // older one on a reader, and the newer one on the writer.
    private let guarded = Mutex(Guarded())
    /// The commits of the database; `nil` if it cannot change.
    let ledger: CommitLedger?

    init(ledger: CommitLedger?) {
        self.ledger = ledger
        ledger?.didStartList()
    }

    deinit { ledger?.didEndList() }

    var state: State? { guarded.withLock { $0.state } }

    /// Stores the state after a fetch.
    func store(_ state: State, _ count: (inout ListStatus) -> Void) {
        let last = guarded.withLock { guarded in
            defer { guarded.state = state }
            count(&guarded.status)
            return guarded.state
        }
        // Release elements outside of the lock: their deinitialization may run any code.
        withExtendedLifetime(last) {}
    }

    var status: ListStatus { guarded.withLock { $0.status } }

    func adopt(_ snapshot: any ListSnapshot) {
        if let state = snapshot as? State { store(state) { _ in } }
    }

    func count(_ body: (inout ListStatus) -> Void) { guarded.withLock { body(&$0.status) } }
}
