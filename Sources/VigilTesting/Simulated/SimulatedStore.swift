import Synchronization
import VigilStorage

/// A simulated database: its last committed state, who holds which lock on it, and who watches it.
final class SimulatedStore: Sendable {
    /// The answer to a connection that wants to write.
    enum WriteGrant {
        case granted(SimulatedState)
        case busy
        /// Another connection committed since the state that the connection reads.
        case stale
    }

    private struct Content {
        var state = SimulatedState()
        var writer: Int?
        /// Whether the writer keeps readers out.
        var isExclusive = false
        var readers: Set<Int> = []
        var watches: [Int: @Sendable () -> Void] = [:]
        var lastStamp = 0
    }

    private let content = Mutex(Content())

    /// The last committed state.
    var state: SimulatedState { content.withLock { $0.state } }

    /// A number that it gave to nobody else.
    func makeStamp() -> Int {
        content.withLock {
            $0.lastStamp += 1
            return $0.lastStamp
        }
    }

    // MARK: Locks. Connections are known by their numbers.

    /// - Returns: what to read; `nil` while another connection keeps readers out.
    func beginReading(_ connection: Int) -> SimulatedState? {
        content.withLock {
            if $0.isExclusive, $0.writer != connection { return nil }
            $0.readers.insert(connection)
            return $0.state
        }
    }

    /// - Parameter commitNumber: that of the state that the connection reads, if it reads.
    func beginWriting(_ connection: Int, readingCommit commitNumber: Int64?) -> WriteGrant {
        content.withLock {
            if let writer = $0.writer, writer != connection { return .busy }
            if let commitNumber, commitNumber != $0.state.commitNumber { return .stale }
            $0.writer = connection
            $0.readers.insert(connection)
            return .granted($0.state)
        }
    }

    /// Keeps others out; refused while others read.
    func beginExclusion(_ connection: Int) -> Bool {
        content.withLock {
            guard $0.writer == connection, $0.readers.isSubset(of: [connection]) else { return false }
            $0.isExclusive = true
            return true
        }
    }

    func endWriting(_ connection: Int) {
        content.withLock {
            guard $0.writer == connection else { return }
            $0.writer = nil
            $0.isExclusive = false
        }
    }

    func endReading(_ connection: Int) {
        content.withLock { _ = $0.readers.remove(connection) }
    }

    /// Makes the writer's state the committed one. The writer keeps its lock.
    func commit(_ state: SimulatedState) -> SimulatedState {
        content.withLock {
            var state = state
            state.commitNumber = $0.state.commitNumber + 1
            $0.state = state
            return state
        }
    }

    // MARK: Watches

    func addWatch(_ number: Int, _ onSign: @escaping @Sendable () -> Void) {
        content.withLock { $0.watches[number] = onSign }
    }

    func removeWatch(_ number: Int) {
        content.withLock { $0.watches[number] = nil }
    }

    /// Tells all watches that something was committed, in the order in which they were added.
    func sign() {
        for number in content.withLock({ $0.watches.keys.sorted() }) {
            // Looked up again, because the one before may have cancelled it.
            content.withLock { $0.watches[number] }?()
        }
    }
}

/// A watch on a simulated database. The database holds the closure, not the watch: it ends with whoever holds it.
final class SimulatedWatch: StorageWatch {
    private let store: SimulatedStore
    private let number: Int

    init(of store: SimulatedStore, number: Int, onSign: @escaping @Sendable () -> Void) {
        self.store = store
        self.number = number
        store.addWatch(number, onSign)
    }

    deinit { cancel() }

    func cancel() {
        store.removeWatch(number)
    }
}
