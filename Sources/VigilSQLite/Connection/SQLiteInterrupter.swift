import CVigilSQLite
import Synchronization
import VigilStorage

/// Interrupts a connection from any thread, and stops when the connection closes.
final class SQLiteInterrupter: StorageInterrupter {
    /// A connection's handle. `sqlite3_interrupt` may be called with it on any thread until the connection
    /// is closed.
    // Guarded by `target`: only used inside its `withLock`.
    private struct Target: @unchecked Sendable {
        var handle: OpaquePointer?
        let api: UnsafePointer<vigil_sqlite_api>
    }

    private let target: Mutex<Target>
    private let interruptions = Atomic<Int>(0)

    /// The number of interrupts of the connection.
    var count: Int { interruptions.load(ordering: .relaxed) }

    init(api: UnsafePointer<vigil_sqlite_api>, handle: OpaquePointer) {
        target = Mutex(Target(handle: handle, api: api))
    }

    func interrupt() {
        interruptions.add(1, ordering: .relaxed)
        target.withLock { target in
            _ = target.handle.map { target.api.pointee.interrupt($0) }
        }
    }

    /// Called by the connection before its handle becomes invalid.
    func end() {
        target.withLock { $0.handle = nil }
    }
}
