// Extended codes: the lowest eight bits are the primary code, the bits above them a number within its family.
extension ResultCodeNames {
    /// The loaded extension remains loaded after its connection is closed.
    public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { .extended(0, 1) }
    /// The path is a symbolic link.
    public static var SQLITE_OK_SYMLINK: ResultCode { .extended(0, 2) }
    /// A collation is missing.
    public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { .extended(1, 1) }
    /// The operation should be retried.
    public static var SQLITE_ERROR_RETRY: ResultCode { .extended(1, 2) }
    /// The snapshot no longer exists.
    public static var SQLITE_ERROR_SNAPSHOT: ResultCode { .extended(1, 3) }
    /// The transaction was rolled back while a statement was running.
    public static var SQLITE_ABORT_ROLLBACK: ResultCode { .extended(4, 2) }
    /// Another process is recovering the write-ahead log.
    public static var SQLITE_BUSY_RECOVERY: ResultCode { .extended(5, 1) }
    /// The transaction cannot write, because its snapshot is not the latest one.
    public static var SQLITE_BUSY_SNAPSHOT: ResultCode { .extended(5, 2) }
    /// A blocking lock could not be acquired in time.
    public static var SQLITE_BUSY_TIMEOUT: ResultCode { .extended(5, 3) }
    /// A connection with the same cache holds the lock.
    public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { .extended(6, 1) }
    /// A virtual table holds the lock.
    public static var SQLITE_LOCKED_VTAB: ResultCode { .extended(6, 2) }
    /// The write-ahead log must be recovered, and this requires write access.
    public static var SQLITE_READONLY_RECOVERY: ResultCode { .extended(8, 1) }
    /// The shared memory of the write-ahead log cannot be locked.
    public static var SQLITE_READONLY_CANTLOCK: ResultCode { .extended(8, 2) }
    /// A journal must be rolled back, and this requires write access.
    public static var SQLITE_READONLY_ROLLBACK: ResultCode { .extended(8, 3) }
    /// The database file was moved.
    public static var SQLITE_READONLY_DBMOVED: ResultCode { .extended(8, 4) }
    /// The shared memory of the write-ahead log cannot be initialized.
    public static var SQLITE_READONLY_CANTINIT: ResultCode { .extended(8, 5) }
    /// A journal cannot be created in the directory.
    public static var SQLITE_READONLY_DIRECTORY: ResultCode { .extended(8, 6) }
    /// Reading a file failed.
    public static var SQLITE_IOERR_READ: ResultCode { .extended(10, 1) }
    /// A read returned fewer bytes than requested.
    public static var SQLITE_IOERR_SHORT_READ: ResultCode { .extended(10, 2) }
    /// Writing a file failed.
    public static var SQLITE_IOERR_WRITE: ResultCode { .extended(10, 3) }
    /// Flushing a file failed.
    public static var SQLITE_IOERR_FSYNC: ResultCode { .extended(10, 4) }
    /// Flushing a directory failed.
    public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { .extended(10, 5) }
    /// Truncating a file failed.
    public static var SQLITE_IOERR_TRUNCATE: ResultCode { .extended(10, 6) }
    /// Reading the attributes of a file failed.
    public static var SQLITE_IOERR_FSTAT: ResultCode { .extended(10, 7) }
    /// Unlocking a file failed.
    public static var SQLITE_IOERR_UNLOCK: ResultCode { .extended(10, 8) }
    /// Acquiring a read lock failed.
    public static var SQLITE_IOERR_RDLOCK: ResultCode { .extended(10, 9) }
    /// Deleting a file failed.
    public static var SQLITE_IOERR_DELETE: ResultCode { .extended(10, 10) }
    /// Waiting for a lock failed.
    public static var SQLITE_IOERR_BLOCKED: ResultCode { .extended(10, 11) }
    /// The file layer could not allocate memory.
    public static var SQLITE_IOERR_NOMEM: ResultCode { .extended(10, 12) }
    /// Checking the permissions of a file failed.
    public static var SQLITE_IOERR_ACCESS: ResultCode { .extended(10, 13) }
    /// Checking the reserved lock failed.
    public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { .extended(10, 14) }
    /// Locking a file failed.
    public static var SQLITE_IOERR_LOCK: ResultCode { .extended(10, 15) }
    /// Closing a file failed.
    public static var SQLITE_IOERR_CLOSE: ResultCode { .extended(10, 16) }
    /// Closing a directory failed.
    public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { .extended(10, 17) }
    /// Opening shared memory failed.
    public static var SQLITE_IOERR_SHMOPEN: ResultCode { .extended(10, 18) }
    /// Resizing shared memory failed.
    public static var SQLITE_IOERR_SHMSIZE: ResultCode { .extended(10, 19) }
    /// Locking shared memory failed.
    public static var SQLITE_IOERR_SHMLOCK: ResultCode { .extended(10, 20) }
    /// Mapping shared memory failed.
    public static var SQLITE_IOERR_SHMMAP: ResultCode { .extended(10, 21) }
    /// Seeking in a file failed.
    public static var SQLITE_IOERR_SEEK: ResultCode { .extended(10, 22) }
    /// The file to delete does not exist.
    public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { .extended(10, 23) }
    /// Mapping a file failed.
    public static var SQLITE_IOERR_MMAP: ResultCode { .extended(10, 24) }
    /// No directory for temporary files was found.
    public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { .extended(10, 25) }
    /// Converting a path failed.
    public static var SQLITE_IOERR_CONVPATH: ResultCode { .extended(10, 26) }
    /// Using a vnode failed.
    public static var SQLITE_IOERR_VNODE: ResultCode { .extended(10, 27) }
    /// The file layer denied authorization.
    public static var SQLITE_IOERR_AUTH: ResultCode { .extended(10, 28) }
    /// Beginning an atomic write failed.
    public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { .extended(10, 29) }
    /// Committing an atomic write failed.
    public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { .extended(10, 30) }
    /// Rolling back an atomic write failed.
    public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { .extended(10, 31) }
    /// The checksum of a page is wrong.
    public static var SQLITE_IOERR_DATA: ResultCode { .extended(10, 32) }
    /// The file system is corrupted.
    public static var SQLITE_IOERR_CORRUPTFS: ResultCode { .extended(10, 33) }
    /// The content of a virtual table is corrupted.
    public static var SQLITE_CORRUPT_VTAB: ResultCode { .extended(11, 1) }
    /// The `sqlite_sequence` table is corrupted.
    public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { .extended(11, 2) }
    /// An index is corrupted.
    public static var SQLITE_CORRUPT_INDEX: ResultCode { .extended(11, 3) }
    /// No longer used by the library.
    public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { .extended(14, 1) }
    /// The path is a directory.
    public static var SQLITE_CANTOPEN_ISDIR: ResultCode { .extended(14, 2) }
    /// The full path could not be determined.
    public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { .extended(14, 3) }
    /// The path could not be converted.
    public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { .extended(14, 4) }
    /// Not used by the library.
    public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { .extended(14, 5) }
    /// The path is a symbolic link, forbidden by the open flags.
    public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { .extended(14, 6) }
    /// A `CHECK` constraint failed.
    public static var SQLITE_CONSTRAINT_CHECK: ResultCode { .extended(19, 1) }
    /// A commit hook rejected the commit.
    public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { .extended(19, 2) }
    /// A foreign key refers to a missing row.
    public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { .extended(19, 3) }
    /// A function reported a constraint violation.
    public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { .extended(19, 4) }
    /// A `NOT NULL` constraint failed.
    public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { .extended(19, 5) }
    /// Another row has the same primary key.
    public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { .extended(19, 6) }
    /// A trigger raised the error.
    public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { .extended(19, 7) }
    /// Another row has the same value in a unique column.
    public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { .extended(19, 8) }
    /// A virtual table reported a constraint violation.
    public static var SQLITE_CONSTRAINT_VTAB: ResultCode { .extended(19, 9) }
    /// Another row has the same row id.
    public static var SQLITE_CONSTRAINT_ROWID: ResultCode { .extended(19, 10) }
    /// An update trigger tried to delete the row of the update.
    public static var SQLITE_CONSTRAINT_PINNED: ResultCode { .extended(19, 11) }
    /// The value does not have the type of its column in a strict table.
    public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { .extended(19, 12) }
    /// The user is not authorized.
    public static var SQLITE_AUTH_USER: ResultCode { .extended(23, 1) }
    /// A write-ahead log was recovered.
    public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { .extended(27, 1) }
    /// A journal was rolled back.
    public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { .extended(27, 2) }
    /// A notice of the RBU extension.
    public static var SQLITE_NOTICE_RBU: ResultCode { .extended(27, 3) }
    /// A query created an automatic index.
    public static var SQLITE_WARNING_AUTOINDEX: ResultCode { .extended(28, 1) }
}

// Codes of Vigil
extension ResultCodeNames {
    /// The connection to a server was lost. SQLite has no such code.
    ///
    /// The open transaction was rolled back; if it was being committed, it is not known whether it was
    /// committed. The next access connects again.
    public static var CONNECTION_LOST: ResultCode { .extended(10, 100) }
    /// The file was replaced or deleted while it was open. The same code as `SQLITE_READONLY_DBMOVED`.
    public static var FILE_MOVED: ResultCode { .SQLITE_READONLY_DBMOVED }
    /// The key does not open the file: the key is wrong, or the file is not a database. SQLite has no such
    /// code. Without a key, an encrypted file is not a database: `SQLITE_NOTADB`.
    public static var WRONG_KEY: ResultCode { .extended(26, 1) }
    /// A key was given for a file without encryption. SQLite has no such code.
    public static var NOT_ENCRYPTED: ResultCode { .extended(26, 2) }
    /// A key was given to a library without encryption. SQLite has no such code.
    public static var ENCRYPTION_UNAVAILABLE: ResultCode { .extended(1, 100) }
    /// The library of the backend is missing, or lacks a required function. SQLite has no such code.
    public static var LIBRARY_UNAVAILABLE: ResultCode { .extended(1, 101) }
    /// The library does not support a setting or a function of the encryption. SQLite has no such code.
    public static var CIPHER_FEATURE_UNAVAILABLE: ResultCode { .extended(1, 102) }
}

extension ResultCode {
    fileprivate static func extended(_ primary: CInt, _ number: CInt) -> ResultCode {
        ResultCode(rawValue: primary | (number << 8))
    }
}
