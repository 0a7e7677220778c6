/// The names of SQLite's result codes. ``ResultCode`` and ``DatabaseError`` both have them, so that you can
/// write `case .SQLITE_BUSY` as well as `catch DatabaseError.SQLITE_BUSY`.
public protocol ResultCodeNames {}

// Primary codes
extension ResultCodeNames {
    /// Success.
    public static var SQLITE_OK: ResultCode { ResultCode(rawValue: 0) }
    /// An error without a code of its own, such as invalid SQL.
    public static var SQLITE_ERROR: ResultCode { ResultCode(rawValue: 1) }
    /// An error inside the library.
    public static var SQLITE_INTERNAL: ResultCode { ResultCode(rawValue: 2) }
    /// The access mode of a new file is not permitted.
    public static var SQLITE_PERM: ResultCode { ResultCode(rawValue: 3) }
    /// The operation was aborted.
    public static var SQLITE_ABORT: ResultCode { ResultCode(rawValue: 4) }
    /// Another connection holds the lock.
    public static var SQLITE_BUSY: ResultCode { ResultCode(rawValue: 5) }
    /// This connection, or another with the same cache, holds the lock.
    public static var SQLITE_LOCKED: ResultCode { ResultCode(rawValue: 6) }
    /// Memory allocation failed.
    public static var SQLITE_NOMEM: ResultCode { ResultCode(rawValue: 7) }
    /// A write was attempted in a read-only context.
    public static var SQLITE_READONLY: ResultCode { ResultCode(rawValue: 8) }
    /// The statement was interrupted.
    public static var SQLITE_INTERRUPT: ResultCode { ResultCode(rawValue: 9) }
    /// The operating system reported an I/O error.
    public static var SQLITE_IOERR: ResultCode { ResultCode(rawValue: 10) }
    /// The database file is corrupted.
    public static var SQLITE_CORRUPT: ResultCode { ResultCode(rawValue: 11) }
    /// The operation is unknown.
    public static var SQLITE_NOTFOUND: ResultCode { ResultCode(rawValue: 12) }
    /// The disk or the database is full.
    public static var SQLITE_FULL: ResultCode { ResultCode(rawValue: 13) }
    /// The database file cannot be opened.
    public static var SQLITE_CANTOPEN: ResultCode { ResultCode(rawValue: 14) }
    /// The locking protocol of the write-ahead log failed.
    public static var SQLITE_PROTOCOL: ResultCode { ResultCode(rawValue: 15) }
    /// Not used by the library.
    public static var SQLITE_EMPTY: ResultCode { ResultCode(rawValue: 16) }
    /// The schema changed after the statement was compiled.
    public static var SQLITE_SCHEMA: ResultCode { ResultCode(rawValue: 17) }
    /// A text or blob exceeds the maximum size.
    public static var SQLITE_TOOBIG: ResultCode { ResultCode(rawValue: 18) }
    /// A constraint was violated.
    public static var SQLITE_CONSTRAINT: ResultCode { ResultCode(rawValue: 19) }
    /// The value does not have the type of its column.
    public static var SQLITE_MISMATCH: ResultCode { ResultCode(rawValue: 20) }
    /// The connection or statement was used incorrectly.
    public static var SQLITE_MISUSE: ResultCode { ResultCode(rawValue: 21) }
    /// The file exceeds the maximum size on the system.
    public static var SQLITE_NOLFS: ResultCode { ResultCode(rawValue: 22) }
    /// The statement is not authorized.
    public static var SQLITE_AUTH: ResultCode { ResultCode(rawValue: 23) }
    /// Not used by the library.
    public static var SQLITE_FORMAT: ResultCode { ResultCode(rawValue: 24) }
    /// The index of a parameter or column is out of range.
    public static var SQLITE_RANGE: ResultCode { ResultCode(rawValue: 25) }
    /// The file is not a database, or it is encrypted.
    public static var SQLITE_NOTADB: ResultCode { ResultCode(rawValue: 26) }
    /// A notice in the log.
    public static var SQLITE_NOTICE: ResultCode { ResultCode(rawValue: 27) }
    /// A warning in the log.
    public static var SQLITE_WARNING: ResultCode { ResultCode(rawValue: 28) }
    /// A row is available.
    public static var SQLITE_ROW: ResultCode { ResultCode(rawValue: 100) }
    /// The statement is finished.
    public static var SQLITE_DONE: ResultCode { ResultCode(rawValue: 101) }
}
