public import VigilEngine
import VigilSQLite
import VigilStorage

extension Database {
    /// The version of the library that this build links, as SQLite counts: 3.40.1 is 3040001. 0 if it links none.
    ///
    /// It says nothing of libraries that a backend loads.
    public static var sqliteLibVersionNumber: CInt {
        (try? SQLiteLibrary.linked())?.versionNumber ?? 0
    }

    /// Receives what the libraries report about anomalies, in any thread; `nil` for nothing.
    ///
    /// ```swift
    /// Database.logError = { code, message in logger.error("\(code): \(message)") }
    /// ```
    ///
    /// Set it before the first database of the process is opened: a library that was used before stays silent.
    /// Vigil adds the statements that keep a connection from being closed.
    public static var logError: LogErrorFunction? {
        get { ErrorLog.receiver }
        set {
            ErrorLog.receiver = newValue
            guard let newValue else { return SQLiteErrorLog.report(to: nil) }
            SQLiteErrorLog.report { code, message in newValue(ResultCode(rawValue: code.rawValue), message) }
        }
    }
}
