/// The names of SQLite's result codes, once for ``ResultCode`` and ``DatabaseError``, so that both
/// `case .SQLITE_BUSY` and `catch DatabaseError.SQLITE_BUSY` can be written.
public protocol ResultCodeNames {}

// Primary codes.
extension ResultCodeNames {
    /// Success.
    public static var SQLITE_OK: ResultCode { ResultCode(rawValue: 0) }
    /// An error without a code of its own, often SQL that does not compile.
    public static var SQLITE_ERROR: ResultCode { ResultCode(rawValue: 1) }
    /// A mistake inside the library.
    public static var SQLITE_INTERNAL: ResultCode { ResultCode(rawValue: 2) }
    /// The access mode of a new file cannot be had.
    public static var SQLITE_PERM: ResultCode { ResultCode(rawValue: 3) }
    /// The operation was given up before its end.
    public static var SQLITE_ABORT: ResultCode { ResultCode(rawValue: 4) }
    /// Another connection holds the lock.
    public static var SQLITE_BUSY: ResultCode { ResultCode(rawValue: 5) }
    /// This connection, or one that shares its cache, holds the lock.
    public static var SQLITE_LOCKED: ResultCode { ResultCode(rawValue: 6) }
    /// No memory is left.
    public static var SQLITE_NOMEM: ResultCode { ResultCode(rawValue: 7) }
    /// A write where only reading is allowed.
    public static var SQLITE_READONLY: ResultCode { ResultCode(rawValue: 8) }
    /// The statement was interrupted.
    public static var SQLITE_INTERRUPT: ResultCode { ResultCode(rawValue: 9) }
    /// The operating system could not read or write.
    public static var SQLITE_IOERR: ResultCode { ResultCode(rawValue: 10) }
    /// The database file is damaged.
    public static var SQLITE_CORRUPT: ResultCode { ResultCode(rawValue: 11) }
    /// The operation is not known.
    public static var SQLITE_NOTFOUND: ResultCode { ResultCode(rawValue: 12) }
    /// The disk, or the database, is full.
    public static var SQLITE_FULL: ResultCode { ResultCode(rawValue: 13) }
    /// The file cannot be opened.
    public static var SQLITE_CANTOPEN: ResultCode { ResultCode(rawValue: 14) }
    /// The locking protocol of the write-ahead log failed.
    public static var SQLITE_PROTOCOL: ResultCode { ResultCode(rawValue: 15) }
    /// Not used by the library.
    public static var SQLITE_EMPTY: ResultCode { ResultCode(rawValue: 16) }
    /// The schema changed under a compiled statement.
    public static var SQLITE_SCHEMA: ResultCode { ResultCode(rawValue: 17) }
    /// A text or blob is longer than allowed.
    public static var SQLITE_TOOBIG: ResultCode { ResultCode(rawValue: 18) }
    /// A constraint is violated.
    public static var SQLITE_CONSTRAINT: ResultCode { ResultCode(rawValue: 19) }
    /// The value has the wrong type for its column.
    public static var SQLITE_MISMATCH: ResultCode { ResultCode(rawValue: 20) }
    /// The connection or statement is used against its rules.
    public static var SQLITE_MISUSE: ResultCode { ResultCode(rawValue: 21) }
    /// The file has grown larger than the system supports.
    public static var SQLITE_NOLFS: ResultCode { ResultCode(rawValue: 22) }
    /// The statement is not authorized.
    public static var SQLITE_AUTH: ResultCode { ResultCode(rawValue: 23) }
    /// Not used by the library.
    public static var SQLITE_FORMAT: ResultCode { ResultCode(rawValue: 24) }
    /// The index of a parameter or column is out of range.
    public static var SQLITE_RANGE: ResultCode { ResultCode(rawValue: 25) }
    /// The file is no database, or it is encrypted.
    public static var SQLITE_NOTADB: ResultCode { ResultCode(rawValue: 26) }
    /// A notice in the log.
    public static var SQLITE_NOTICE: ResultCode { ResultCode(rawValue: 27) }
    /// A warning in the log.
    public static var SQLITE_WARNING: ResultCode { ResultCode(rawValue: 28) }
    /// A row is available.
    public static var SQLITE_ROW: ResultCode { ResultCode(rawValue: 100) }
    /// The statement has come to its end.
    public static var SQLITE_DONE: ResultCode { ResultCode(rawValue: 101) }
}
