import CVigilSQLite
import Synchronization
import VigilStorage

/// Interrupts a connection from any thread, and stops when the connection closes.
final class SQLiteInterrupter: StorageInterrupter {
    // `sqlite3_interrupt` accepts the handle on any thread until the connection is closed.
    private let handle: Mutex<SendablePointer<OpaquePointer>?>
    private let library: SQLiteLibrary
    private let interruptions = Atomic<Int>(0)

    var count: Int { interruptions.load(ordering: .relaxed) }

    init(library: SQLiteLibrary, handle: OpaquePointer) {
        self.library = library
        self.handle = Mutex(SendablePointer(handle))
    }

    func interrupt() {
        interruptions.add(1, ordering: .relaxed)
        handle.withLock { handle in
            if let handle { library.api.pointee.interrupt(handle.pointer) }
        }
    }

    /// Called by the connection before its handle becomes invalid.
    func end() {
        handle.withLock { $0 = nil }
    }
}
