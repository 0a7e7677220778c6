public import VigilEngine
import VigilSQLite
import VigilStorage

extension Database {
    /// The version number of the linked library, such as 3040001 for SQLite 3.40.1; 0 without one.
    ///
    /// A library loaded at run time may have another version.
    public static var sqliteLibVersionNumber: CInt {
        (try? SQLiteLibrary.linked())?.versionNumber ?? 0
    }

    /// The closure for messages of the libraries about anomalies, if any.
    ///
    /// ```swift
    /// Database.logError = { code, message in logger.error("\(code): \(message)") }
    /// ```
    ///
    /// The closure is called on any thread. Set it before the process opens its first database: a library
    /// that was used earlier sends no messages. Vigil also reports the statements that prevent a connection
    /// from closing.
    public static var logError: LogErrorFunction? {
        get { ErrorLog.receiver }
        set {
            ErrorLog.receiver = newValue
            guard let newValue else { return SQLiteErrorLog.report(to: nil) }
            SQLiteErrorLog.report { code, message in newValue(ResultCode(rawValue: code.rawValue), message) }
        }
    }
}
