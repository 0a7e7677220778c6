// Extended codes: the primary code in the lowest eight bits, a number within the family above them.
extension ResultCodeNames {
    /// The extension stays loaded.
    public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { .extended(0, 1) }
    /// The path is a symbolic link.
    public static var SQLITE_OK_SYMLINK: ResultCode { .extended(0, 2) }
    /// A collation is missing.
    public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { .extended(1, 1) }
    /// To be tried again.
    public static var SQLITE_ERROR_RETRY: ResultCode { .extended(1, 2) }
    /// The snapshot is gone.
    public static var SQLITE_ERROR_SNAPSHOT: ResultCode { .extended(1, 3) }
    /// The transaction was rolled back under a running statement.
    public static var SQLITE_ABORT_ROLLBACK: ResultCode { .extended(4, 2) }
    /// Another process recovers the write-ahead log.
    public static var SQLITE_BUSY_RECOVERY: ResultCode { .extended(5, 1) }
    /// The transaction reads an old snapshot, so it cannot write.
    public static var SQLITE_BUSY_SNAPSHOT: ResultCode { .extended(5, 2) }
    /// A blocking lock was not had in time.
    public static var SQLITE_BUSY_TIMEOUT: ResultCode { .extended(5, 3) }
    /// A connection with the same shared cache holds the lock.
    public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { .extended(6, 1) }
    /// A virtual table holds the lock.
    public static var SQLITE_LOCKED_VTAB: ResultCode { .extended(6, 2) }
    /// The write-ahead log needs recovery, which needs to write.
    public static var SQLITE_READONLY_RECOVERY: ResultCode { .extended(8, 1) }
    /// The shared memory of the write-ahead log cannot be locked.
    public static var SQLITE_READONLY_CANTLOCK: ResultCode { .extended(8, 2) }
    /// A journal needs to be rolled back, which needs to write.
    public static var SQLITE_READONLY_ROLLBACK: ResultCode { .extended(8, 3) }
    /// The database file was moved.
    public static var SQLITE_READONLY_DBMOVED: ResultCode { .extended(8, 4) }
    /// The shared memory of the write-ahead log cannot be set up.
    public static var SQLITE_READONLY_CANTINIT: ResultCode { .extended(8, 5) }
    /// No journal can be created in the directory.
    public static var SQLITE_READONLY_DIRECTORY: ResultCode { .extended(8, 6) }
    /// Failed: reading a file.
    public static var SQLITE_IOERR_READ: ResultCode { .extended(10, 1) }
    /// Failed: reading as many bytes as asked for.
    public static var SQLITE_IOERR_SHORT_READ: ResultCode { .extended(10, 2) }
    /// Failed: writing a file.
    public static var SQLITE_IOERR_WRITE: ResultCode { .extended(10, 3) }
    /// Failed: flushing a file.
    public static var SQLITE_IOERR_FSYNC: ResultCode { .extended(10, 4) }
    /// Failed: flushing a directory.
    public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { .extended(10, 5) }
    /// Failed: truncating a file.
    public static var SQLITE_IOERR_TRUNCATE: ResultCode { .extended(10, 6) }
    /// Failed: asking for a file's attributes.
    public static var SQLITE_IOERR_FSTAT: ResultCode { .extended(10, 7) }
    /// Failed: unlocking a file.
    public static var SQLITE_IOERR_UNLOCK: ResultCode { .extended(10, 8) }
    /// Failed: taking a read lock.
    public static var SQLITE_IOERR_RDLOCK: ResultCode { .extended(10, 9) }
    /// Failed: deleting a file.
    public static var SQLITE_IOERR_DELETE: ResultCode { .extended(10, 10) }
    /// Failed: waiting for a lock.
    public static var SQLITE_IOERR_BLOCKED: ResultCode { .extended(10, 11) }
    /// Failed: getting memory for the file layer.
    public static var SQLITE_IOERR_NOMEM: ResultCode { .extended(10, 12) }
    /// Failed: asking whether a file may be used.
    public static var SQLITE_IOERR_ACCESS: ResultCode { .extended(10, 13) }
    /// Failed: asking for the reserved lock.
    public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { .extended(10, 14) }
    /// Failed: locking a file.
    public static var SQLITE_IOERR_LOCK: ResultCode { .extended(10, 15) }
    /// Failed: closing a file.
    public static var SQLITE_IOERR_CLOSE: ResultCode { .extended(10, 16) }
    /// Failed: closing a directory.
    public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { .extended(10, 17) }
    /// Failed: opening shared memory.
    public static var SQLITE_IOERR_SHMOPEN: ResultCode { .extended(10, 18) }
    /// Failed: resizing shared memory.
    public static var SQLITE_IOERR_SHMSIZE: ResultCode { .extended(10, 19) }
    /// Failed: locking shared memory.
    public static var SQLITE_IOERR_SHMLOCK: ResultCode { .extended(10, 20) }
    /// Failed: mapping shared memory.
    public static var SQLITE_IOERR_SHMMAP: ResultCode { .extended(10, 21) }
    /// Failed: seeking in a file.
    public static var SQLITE_IOERR_SEEK: ResultCode { .extended(10, 22) }
    /// Failed: deleting a file that is not there.
    public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { .extended(10, 23) }
    /// Failed: mapping a file.
    public static var SQLITE_IOERR_MMAP: ResultCode { .extended(10, 24) }
    /// Failed: finding a directory for temporary files.
    public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { .extended(10, 25) }
    /// Failed: converting a path.
    public static var SQLITE_IOERR_CONVPATH: ResultCode { .extended(10, 26) }
    /// Failed: using a vnode.
    public static var SQLITE_IOERR_VNODE: ResultCode { .extended(10, 27) }
    /// Failed: being authorized by the file layer.
    public static var SQLITE_IOERR_AUTH: ResultCode { .extended(10, 28) }
    /// Failed: beginning an atomic write.
    public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { .extended(10, 29) }
    /// Failed: committing an atomic write.
    public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { .extended(10, 30) }
    /// Failed: rolling back an atomic write.
    public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { .extended(10, 31) }
    /// Failed: verifying a page's checksum.
    public static var SQLITE_IOERR_DATA: ResultCode { .extended(10, 32) }
    /// Failed: using a damaged file system.
    public static var SQLITE_IOERR_CORRUPTFS: ResultCode { .extended(10, 33) }
    /// The content of a virtual table is damaged.
    public static var SQLITE_CORRUPT_VTAB: ResultCode { .extended(11, 1) }
    /// The table of sequences is damaged.
    public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { .extended(11, 2) }
    /// An index is damaged.
    public static var SQLITE_CORRUPT_INDEX: ResultCode { .extended(11, 3) }
    /// Not used any more.
    public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { .extended(14, 1) }
    /// The path is a directory.
    public static var SQLITE_CANTOPEN_ISDIR: ResultCode { .extended(14, 2) }
    /// The full path cannot be found.
    public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { .extended(14, 3) }
    /// The path cannot be converted.
    public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { .extended(14, 4) }
    /// Not used.
    public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { .extended(14, 5) }
    /// The path is a symbolic link where none is allowed.
    public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { .extended(14, 6) }
    /// A `CHECK` failed.
    public static var SQLITE_CONSTRAINT_CHECK: ResultCode { .extended(19, 1) }
    /// The commit was refused.
    public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { .extended(19, 2) }
    /// A foreign key has no target.
    public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { .extended(19, 3) }
    /// A function reported it.
    public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { .extended(19, 4) }
    /// NULL where none is allowed.
    public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { .extended(19, 5) }
    /// The primary key is taken.
    public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { .extended(19, 6) }
    /// A trigger raised it.
    public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { .extended(19, 7) }
    /// A value that must be unique is taken.
    public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { .extended(19, 8) }
    /// A virtual table reported it.
    public static var SQLITE_CONSTRAINT_VTAB: ResultCode { .extended(19, 9) }
    /// The row id is taken.
    public static var SQLITE_CONSTRAINT_ROWID: ResultCode { .extended(19, 10) }
    /// An update trigger would delete the row that is updated.
    public static var SQLITE_CONSTRAINT_PINNED: ResultCode { .extended(19, 11) }
    /// The value has the wrong type for a column of a strict table.
    public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { .extended(19, 12) }
    /// The user is not authorized.
    public static var SQLITE_AUTH_USER: ResultCode { .extended(23, 1) }
    /// A write-ahead log was recovered.
    public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { .extended(27, 1) }
    /// A journal was rolled back.
    public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { .extended(27, 2) }
    /// An update by RBU.
    public static var SQLITE_NOTICE_RBU: ResultCode { .extended(27, 3) }
    /// A query made an index of its own.
    public static var SQLITE_WARNING_AUTOINDEX: ResultCode { .extended(28, 1) }
}

extension ResultCode {
    fileprivate static func extended(_ primary: CInt, _ number: CInt) -> ResultCode {
        ResultCode(rawValue: primary | (number << 8))
    }
}
