import Dispatch
import Synchronization
package import VigilStorage

/// Signals writes to a database's files, without opening any file locked by SQLite.
///
/// A process that closes *any* descriptor of a file drops all its POSIX locks on that file, including
/// SQLite's. So the watch observes the directory instead of the database and its `-shm`.
///
/// It signals when the database, its `-wal` or its `-journal` is written, truncated, deleted or put in place
/// by a rename; when the directory is moved or deleted; and when the system dropped events. That covers the
/// commits of every journal mode:
///
/// | journal mode | the last event on disk |
/// |---|---|
/// | `WAL` | a write to `-wal`; it becomes visible later through shared memory, without an event |
/// | `DELETE` | `-journal` is deleted |
/// | `TRUNCATE` | `-journal` is truncated |
/// | `PERSIST` | the header of `-journal` is written |
/// | `MEMORY`, `OFF` | a write to the database (not detected on Apple platforms) |
///
/// It does not see writes of other machines to a network file system, nor writes through a memory map, used
/// by SQLite only for `-shm` unless it was built with `SQLITE_MMAP_READWRITE`.
///
/// The first hints after a quiet period are immediate. While there are further events in the directory, they
/// are read at intervals of ``pauseBetweenReads``, and combined into one hint. On Linux, continuous writes
/// are not reported for some time, and each interval gives a hint.
package final class DirectoryWatch: StorageWatch {
    /// The interval in which events accumulate before they are read again.
    static let pauseBetweenReads = Duration.milliseconds(4)

    private let gate: HintGate
    private let source: HintSource

    /// Starts watching the files of a database.
    ///
    /// - Returns: `nil` for a database in memory.
    /// - Throws: ``StorageError/Code/cannotOpen`` if the directory does not exist, or if the system allows
    ///   no further watch; the message names the limit to raise.
    package static func start(for location: StorageLocation, onHint: @escaping @Sendable () -> Void)
        throws(StorageError) -> (any StorageWatch)?
    {
        guard let files = try DatabaseFiles(location) else { return nil }
        let gate = HintGate(onHint: onHint)
        return DirectoryWatch(gate: gate, source: try HintSource(files, gate: gate))
    }

    private init(gate: HintGate, source: HintSource) {
        self.gate = gate
        self.source = source
    }

    deinit { cancel() }

    /// Ends the watch. Can be called on any thread, inside of `onHint`, and repeatedly.
    ///
    /// After it returns, no further call of `onHint` begins; one that has already begun may still be running.
    /// It does not wait for the end of the call: the call may wait for an access of the caller.
    package func cancel() {
        source.end()
        gate.close()
    }
}

/// Forwards hints to a closure until it is closed.
final class HintGate: Sendable {
    private struct State {
        /// The closure; `nil` once the gate is closed.
        var onHint: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(onHint: @escaping @Sendable () -> Void) {
        state = Mutex(State(onHint: onHint))
    }

    /// Calls the closure unless the gate is closed.
    func forwardHint() { state.withLock { $0.onHint }?() }

    /// Closes the gate. When it returns, no further call of the closure begins.
    func close() {
        // Release the closure outside of the lock: releasing what it captures may run arbitrary code.
        let ended = state.withLock { $0.onHint.take() }
        withExtendedLifetime(ended) {}
    }
}
