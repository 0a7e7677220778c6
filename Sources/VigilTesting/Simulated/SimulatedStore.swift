import Synchronization
import VigilStorage

/// A simulated database: its last committed state, its locks, and its watches.
final class SimulatedStore: Sendable {
    /// The result of a request for the write lock.
    enum WriteGrant {
        case granted(SimulatedState)
        case busy
        /// Another connection has committed after the connection's snapshot.
        case stale
    }

    /// A feed ends when its owner releases it.
    private struct FeedReference {
        weak var feed: SimulatedFeed?
    }

    private struct Content {
        var state = SimulatedState()
        /// The connection with the write lock.
        var writer: Int?
        /// Whether the writer excludes readers.
        var isExclusive = false
        var readers: Set<Int> = []
        /// The number of snapshots so far.
        var readCount = 0
        var watches: [Int: @Sendable () -> Void] = [:]
        var feeds: [Int: FeedReference] = [:]
        var lastStamp = 0
    }

    private let content = Mutex(Content())

    /// The last committed state.
    var state: SimulatedState { content.withLock { $0.state } }

    func makeStamp() -> Int {
        content.withLock {
            $0.lastStamp += 1
            return $0.lastStamp
        }
    }

    // MARK: Locks. Numbers identify connections.

    /// Begins a snapshot of the last committed state; `nil` while another connection excludes readers.
    func beginReading(_ connection: Int) -> SimulatedState? {
        content.withLock {
            if $0.isExclusive, $0.writer != connection { return nil }
            $0.readers.insert(connection)
            $0.readCount += 1
            return $0.state
        }
    }

    var readCount: Int { content.withLock { $0.readCount } }

    /// Requests the write lock, with the commit number of the connection's snapshot.
    func beginWriting(_ connection: Int, readingCommit commitNumber: Int64?) -> WriteGrant {
        content.withLock {
            if let writer = $0.writer, writer != connection { return .busy }
            if let commitNumber, commitNumber != $0.state.commitNumber { return .stale }
            $0.writer = connection
            $0.readers.insert(connection)
            return .granted($0.state)
        }
    }

    /// Excludes other readers, if the connection has the write lock and no other reads. Returns whether it
    /// did.
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

    /// Commits the writer's state and returns it with its commit number. The writer keeps its lock.
    func commit(_ state: SimulatedState) -> SimulatedState {
        content.withLock {
            var state = state
            state.commitNumber = $0.state.commitNumber + 1
            $0.state = state
            return state
        }
    }

    // MARK: Feeds

    func addFeed(_ number: Int, _ feed: SimulatedFeed) {
        content.withLock { $0.feeds[number] = FeedReference(feed: feed) }
    }

    func removeFeed(_ number: Int) {
        content.withLock { $0.feeds[number] = nil }
    }

    var feeds: [SimulatedFeed] { content.withLock { $0.feeds.values.compactMap(\.feed) } }

    // MARK: Watches

    func addWatch(_ number: Int, _ onHint: @escaping @Sendable () -> Void) {
        content.withLock { $0.watches[number] = onHint }
    }

    func removeWatch(_ number: Int) {
        content.withLock { $0.watches[number] = nil }
    }

    /// Notifies all watches of a commit, in the order of their addition.
    func sendHints() {
        for number in content.withLock({ $0.watches.keys.sorted() }) {
            // Looked up again, because a previous closure may have cancelled this watch.
            content.withLock { $0.watches[number] }?()
        }
    }
}

/// A watch on a simulated database. It ends when it is cancelled or released: the database retains only the
/// closure.
final class SimulatedWatch: StorageWatch {
    private let store: SimulatedStore
    private let number: Int

    init(of store: SimulatedStore, number: Int, onHint: @escaping @Sendable () -> Void) {
        self.store = store
        self.number = number
        store.addWatch(number, onHint)
    }

    deinit { cancel() }

    func cancel() {
        store.removeWatch(number)
    }
}
