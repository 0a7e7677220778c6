import Dispatch
import Synchronization
package import VigilStorage

/// Signs that somebody wrote to a database's files, without opening any of them that SQLite locks.
///
/// A process that closes *any* descriptor of a file drops all POSIX locks that it holds on that file, SQLite's
/// own included. So the directory is watched, not the database and not its `-shm`.
///
/// A sign is given when the database, its `-wal` or its `-journal` is written, truncated, deleted or put in place
/// by a rename; when the directory is moved or deleted; and when the system dropped reports. That covers the
/// commit of every journal mode:
///
/// | journal mode | the last thing that happens on disk |
/// |---|---|
/// | `WAL` | a write to `-wal`; what makes it visible happens in shared memory, later and without a sign |
/// | `DELETE` | `-journal` is deleted |
/// | `TRUNCATE` | `-journal` is truncated |
/// | `PERSIST` | the header of `-journal` is written |
/// | `MEMORY`, `OFF` | a write to the database |
///
/// Not seen: what another machine writes to a network file system, and writes through a memory map, which SQLite
/// uses only for `-shm` unless it was built with `SQLITE_MMAP_READWRITE`.
///
/// The first sign after a quiet time comes at once. Then, while something goes on in the directory, it is
/// looked at once in ``restAfterSigns``, and many reports make one sign.
package final class DirectoryWatch: StorageWatch {
    /// How long what happens in a directory is left to gather before it is looked at again.
    static let restAfterSigns = Duration.milliseconds(4)

    private let gate: SignGate
    private let source: SignSource

    /// Watches the files of a database.
    ///
    /// - Returns: `nil` for a database in memory.
    /// - Throws: ``StorageError/Code/cannotOpen``: there is no such directory, or the system allows no further
    ///   watch; the message says which limit to raise.
    package static func start(for location: StorageLocation, onSign: @escaping @Sendable () -> Void)
        throws(StorageError) -> (any StorageWatch)?
    {
        guard let files = try DatabaseFiles(location) else { return nil }
        let gate = SignGate(onSign: onSign)
        return DirectoryWatch(gate: gate, source: try SignSource(files, gate: gate))
    }

    private init(gate: SignGate, source: SignSource) {
        self.gate = gate
        self.source = source
    }

    deinit { cancel() }

    /// Ends the watch. May be called from any thread, also inside of `onSign`, and again.
    ///
    /// When it has returned, `onSign` does not run and will not run again: on another thread than the one that
    /// runs `onSign`, it waits until `onSign` has returned. So `onSign` must not wait for a thread that cancels.
    /// Inside of `onSign`, the running call is the last one.
    package func cancel() {
        source.end()
        gate.close()
    }
}

/// Lets signs through to a closure until it is closed.
final class SignGate: Sendable {
    private struct State {
        /// `nil` once the gate is closed.
        var onSign: (@Sendable () -> Void)?
        /// The thread that runs `onSign`.
        var caller: ThreadID?
        /// Those who wait for the end of the call.
        var waiting: [DispatchSemaphore] = []
    }

    private let state: Mutex<State>

    init(onSign: @escaping @Sendable () -> Void) {
        state = Mutex(State(onSign: onSign))
    }

    /// Calls the closure unless the gate is closed. Not from two threads at a time.
    func sign() {
        let onSign = state.withLock { state in
            if state.onSign != nil { state.caller = .current }
            return state.onSign
        }
        guard let onSign else { return }
        onSign()
        let waiting = state.withLock { state in
            state.caller = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        waiting.forEach { $0.signal() }
    }

    /// Returns when the closure does not run, except on the calling thread, and will not run again.
    func close() {
        let end = DispatchSemaphore(value: 0)
        // What the closure captures is released outside of the lock: that may run anybody's code.
        let (onSign, mustWait) = state.withLock { state in
            let mustWait = state.caller != nil && state.caller != .current
            if mustWait { state.waiting.append(end) }
            defer { state.onSign = nil }
            return (state.onSign, mustWait)
        }
        withExtendedLifetime(onSign) { if mustWait { end.wait() } }
    }
}
