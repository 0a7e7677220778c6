import Dispatch
import Synchronization
import VigilStorage

/// Watches a server for commits: compares the change token on a connection of its own, at short intervals.
///
/// A failure to read the token counts as a sign, because commits may be missed until the next attempt. The intervals
/// then grow, until the server can be reached again.
final class PostgresWatch: StorageWatch {
    /// The time between two reads of the token after a commit. A read takes about 30 µs on a local socket, and somewhat
    /// more processor time with the timer and the thread: 100 of them per second are about 1 % of a core.
    static let interval = DispatchTimeInterval.milliseconds(10)
    /// The time between two reads while nothing is committed.
    static let quietInterval = DispatchTimeInterval.milliseconds(25)
    /// The number of reads without another token after which ``quietInterval`` applies: about a second.
    static let quietCount = 100
    /// The time between two attempts to reach a server.
    static let failureInterval = DispatchTimeInterval.milliseconds(500)

    // `@unchecked Sendable`: guarded by `queue`: it is only used there.
    private final class Target: @unchecked Sendable {
        var connection: PostgresConnection?
        var token: Int64?
        /// The number of reads since the token has changed.
        var unchangedCount = 0
    }

    private let address: String
    private let onSign: @Sendable () -> Void
    private let queue = DispatchQueue(label: "vigil.postgres.watch")
    /// Runs `onSign`, and nothing else: ``cancel()`` does not wait for the server.
    private let signQueue = DispatchQueue(label: "vigil.postgres.watch.signs")
    private static let isSignQueue = DispatchSpecificKey<ObjectIdentifier>()
    private let target = Target()
    private let isCancelled = Atomic<Bool>(false)

    /// Connects to the server, and starts to watch it.
    ///
    /// - Throws: ``StorageError/Code/cannotOpen`` if the server cannot be reached.
    static func start(_ address: String, onSign: @escaping @Sendable () -> Void) throws(StorageError)
        -> PostgresWatch
    {
        let watch = PostgresWatch(address, onSign)
        // Nothing else uses the connection before the first look.
        watch.target.connection = try PostgresConnection(address, options: Self.options)
        watch.target.token = try watch.target.connection?.foreignChangeToken()
        Self.lookLater(watch, after: Self.interval)
        return watch
    }

    private init(_ address: String, _ onSign: @escaping @Sendable () -> Void) {
        self.address = address
        self.onSign = onSign
        signQueue.setSpecific(key: Self.isSignQueue, value: ObjectIdentifier(signQueue))
    }

    private static var options: StorageOptions {
        var options = StorageOptions()
        options.access = .readOnly
        return options
    }

    private static func lookLater(_ watch: PostgresWatch, after interval: DispatchTimeInterval) {
        watch.queue.asyncAfter(deadline: .now() + interval) { [weak watch] in
            guard let watch, !watch.isCancelled.load(ordering: .acquiring) else { return }
            lookLater(watch, after: watch.look())
        }
    }

    /// Reads the token. Returns the time until the next look.
    private func look() -> DispatchTimeInterval {
        do throws(StorageError) {
            let connection =
                if let connection = target.connection { connection } else {
                    try PostgresConnection(address, options: Self.options)
                }
            target.connection = connection
            let token = try connection.foreignChangeToken()
            guard token != target.token else {
                target.unchangedCount += 1
                return target.unchangedCount > Self.quietCount ? Self.quietInterval : Self.interval
            }
            target.token = token
            target.unchangedCount = 0
            sendSign()
            return Self.interval
        } catch {
            target.token = nil
            target.unchangedCount = 0
            sendSign()
            return Self.failureInterval
        }
    }

    private func sendSign() {
        signQueue.async { [weak self] in
            guard let self, !isCancelled.load(ordering: .acquiring) else { return }
            onSign()
        }
    }

    /// Ends the watch. If another thread runs `onSign`, it waits until `onSign` has returned.
    func cancel() {
        if !isCancelled.exchange(true, ordering: .acquiringAndReleasing) {
            queue.async { [target] in target.connection = nil }
        }
        guard DispatchQueue.getSpecific(key: Self.isSignQueue) != ObjectIdentifier(signQueue) else { return }
        signQueue.sync {}
    }
}
