import Synchronization
import VigilStorage

extension Database {
    /// Receives what libraries report about anomalies, and what went wrong where nothing can be thrown.
    public typealias LogErrorFunction = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void
}

/// Where errors are logged, for the whole process.
package enum ErrorLog {
    private static let storage = Mutex<Database.LogErrorFunction?>(nil)

    package static var receiver: Database.LogErrorFunction? {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    static func report(_ code: ResultCode, _ message: String) {
        receiver?(code, message)
    }
}

extension Database {
    /// Tells which statements keep a connection from being closed.
    func logUnfinishedStatements(_ error: StorageError) {
        guard error.code.primary == .busy, let connection = connection as? any StatementListing else {
            return
        }
        for sql in connection.statementTexts {
            ErrorLog.report(
                ResultCode(rawValue: error.code.rawValue), "unfinalized statement: \(sql)")
        }
    }
}
