import CVigilSQLite
import Synchronization
package import VigilStorage

/// The error log of the libraries, one for the whole process.
package enum SQLiteErrorLog {
    package typealias Receiver = @Sendable (StorageError.Code, String) -> Void

    private static let receiver = Mutex<Receiver?>(nil)
    /// The addresses of libraries with a handler. Setting one after the first use of a library is a misuse.
    private static let librariesWithHandler = Mutex<Set<UInt>>([])

    /// Reports the log messages of all libraries to `receiver`, on any thread; `nil` stops it.
    ///
    /// A library used before the first call of this method does not report.
    package static func report(to receiver: Receiver?) {
        // Release the last one outside of the lock: closing a captured connection can log.
        _ = self.receiver.withLock { current in
            defer { current = receiver }
            return current
        }
        guard receiver != nil, let api = vigil_sqlite_linked_api() else { return }
        installLogHandler(in: api)
    }

    /// Called before a loaded library is first used.
    static func willUse(_ api: UnsafePointer<vigil_sqlite_api>) {
        if receiver.withLock({ $0 != nil }) { installLogHandler(in: api) }
    }

    private static func installLogHandler(in api: UnsafePointer<vigil_sqlite_api>) {
        let address = UInt(bitPattern: api)
        guard librariesWithHandler.withLock({ $0.insert(address).inserted }) else { return }
        _ = vigil_sqlite_config_log(
            api,
            { _, code, message in
                // Call the receiver outside of the lock: it may take long, or set another receiver.
                guard let message, let receiver = SQLiteErrorLog.receiver.withLock({ $0 }) else { return }
                var text = String(cString: message)
                // A message can quote a key without its statement.
                if let sql = vigil_compiled_sql() { text = text.withoutKeys(of: String(cString: sql)) }
                receiver(StorageError.Code(rawValue: code), text.withoutQuotedKeys)
            })
    }
}
