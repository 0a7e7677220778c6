import Dispatch
import Synchronization
import VigilStorage

/// Statements and cursors that were released outside of an access of their connection.
///
/// The connection takes no lock, so that it cannot finalize them on the thread that released them. It does so on its
/// queue, soon. Once no access can come any more, any thread does, one at a time.
final class ReleasedStatements: Sendable {
    private enum Work {
        case finalize(any StorageStatement)
        /// A cursor was released before its last row.
        case abandon(Statement, run: Int)
        /// The connection is not accessible any more. The statements that it keeps would keep it alive.
        case emptyCache
    }

    // Guard: `State.isWorking`, which one thread sets at a time. Nothing else refers to what was released.
    private struct Item: @unchecked Sendable {
        let database: Database
        let work: Work
    }

    private struct State {
        var items: [Item] = []
        /// `nil` before the first access and after the last.
        var queue: DispatchQueue?
        var isScheduled = false
        var isWorking = false
    }

    private let state = Mutex(State())

    /// Accesses run on `queue` from now on.
    func begin(on queue: DispatchQueue) {
        state.withLock { $0.queue = queue }
    }

    /// No access runs now, nor later.
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
        state.withLock { state in
            guard state.items.isEmpty else { return state.items.removeFirst() }
            state.isWorking = false
            return nil
        }
    }

    private func perform(_ item: Item) {
        item.database.whileHeld {
            switch item.work {
            case .finalize(let statement): statement.finalize()
            case .abandon(let statement, let run): statement.abandon(run: run)
            case .emptyCache: item.database.statements.removeAll()
            }
        }
    }
}
