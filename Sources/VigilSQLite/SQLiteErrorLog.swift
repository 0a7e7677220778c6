import CVigilSQLite
import Synchronization
package import VigilStorage

/// Where the libraries report anomalies: one place for the whole process, as libraries have no other.
package enum SQLiteErrorLog {
    package typealias Receiver = @Sendable (StorageError.Code, String) -> Void

    private static let receiver = Mutex<Receiver?>(nil)

    /// Reports what all libraries tell to `receiver`, in any thread; `nil` ends that.
    ///
    /// A library that was used before it was first asked to report stays silent.
    package static func report(to receiver: Receiver?) {
        self.receiver.withLock { $0 = receiver }
        guard receiver != nil, let api = vigil_sqlite_linked_api() else { return }
        listen(to: api)
    }

    /// To be called before a library that was loaded is first used.
    static func willUse(_ api: UnsafePointer<vigil_sqlite_api>) {
        if receiver.withLock({ $0 != nil }) { listen(to: api) }
    }

    private static func listen(to api: UnsafePointer<vigil_sqlite_api>) {
        _ = vigil_sqlite_config_log(
            api,
            { _, code, message in
                // Called out of the lock: the receiver may take its time, or report to somebody else.
                guard let message, let receiver = SQLiteErrorLog.receiver.withLock({ $0 }) else { return }
                receiver(StorageError.Code(rawValue: code), String(cString: message))
            })
    }
}
