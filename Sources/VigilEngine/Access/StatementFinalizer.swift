import Dispatch
import Synchronization
import VigilStorage

/// Finalizes statements and cursors released outside of an access of their connection.
///
/// A connection has no lock, so its statements must not be finalized on an arbitrary thread. They are
/// finalized on the connection's queue, soon after their release. After the last access, they are finalized
/// on any thread, one thread at a time.
final class StatementFinalizer: Sendable {
    private enum Work {
        case finalize(any StorageStatement)
        /// End the run of a cursor released before its last row.
        case abandon(Statement, run: Int)
        /// Remove the cached statements, because they would retain the connection after its last access.
        case emptyCache
    }

    private struct Item {
        let database: Database
        let work: Work
    }

    private struct State {
        /// Used by one thread at a time, the one that has set ``isWorking``. The objects have no other
        /// references.
        var items: [UncheckedSendable<Item>] = []
        /// The queue of the connection; `nil` before the first access and after the last one.
        var queue: DispatchQueue?
        var isScheduled = false
        var isWorking = false
    }

    private let state = Mutex(State())

    /// From now on, finalizes statements on `queue`, where the accesses run.
    func begin(on queue: DispatchQueue) {
        state.withLock { $0.queue = queue }
    }

    /// From now on, finalizes statements on any thread. The last access must have ended.
    func end(_ database: Database) {
        state.withLock { $0.queue = nil }
        add(Item(database: database, work: .emptyCache))
    }

    func finalize(_ statement: any StorageStatement, of database: Database) {
        add(Item(database: database, work: .finalize(statement)))
    }

    func abandon(_ statement: Statement, run: Int) {
        add(Item(database: statement.database, work: .abandon(statement, run: run)))
    }

    private func add(_ item: Item) {
        let item = UncheckedSendable(item)
        let (isScheduled, queue) = state.withLock { state in
            state.items.append(item)
            defer { state.isScheduled = state.queue != nil }
            return (state.isScheduled, state.queue)
        }
        guard let queue else { return work() }
        if !isScheduled { queue.async { self.work() } }
    }

    private func work() {
        let begins = state.withLock { state in
            state.isScheduled = false
            defer { state.isWorking = true }
            return !state.isWorking
        }
        guard begins else { return }
        while let item = next() { perform(item) }
    }

    private func next() -> Item? {
        let item: UncheckedSendable<Item>? = state.withLock { state in
            guard state.items.isEmpty else { return state.items.removeFirst() }
            state.isWorking = false
            return nil
        }
        return item?.value
    }

    private func perform(_ item: Item) {
        item.database.whileHeld {
            switch item.work {
            case .finalize(let statement): statement.finalize()
            case .abandon(let statement, let run): statement.abandon(run: run)
            case .emptyCache: item.database.removeCachedStatements()
            }
        }
    }
}
