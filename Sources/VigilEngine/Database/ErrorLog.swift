import Synchronization
import VigilStorage

extension Database {
    /// A closure for the anomalies logged by a library, and for errors without a caller to throw them to. It
    /// can be called on any thread.
    public typealias LogErrorFunction = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void
}

/// The error log of the process.
package enum ErrorLog {
    private static let storage = Mutex<Database.LogErrorFunction?>(nil)

    package static var receiver: Database.LogErrorFunction? {
        get { storage.withLock { $0 } }
        set {
            // Release the last one outside of the lock: it may capture anything.
            _ = storage.withLock { receiver in
                defer { receiver = newValue }
                return receiver
            }
        }
    }

    static func report(_ code: ResultCode, _ message: String) {
        receiver?(code, message)
    }
}

extension Database {
    func logUnfinishedStatements(_ error: StorageError) {
        guard error.code.primary == .busy else { return }
        for sql in embedded?.statementTexts ?? [] {
            ErrorLog.report(
                ResultCode(rawValue: error.code.rawValue), "unfinalized statement: \(sql)")
        }
    }
}
