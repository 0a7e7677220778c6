import VigilStorage

extension SQLiteConnection {
    /// Returns the error with a message that explains why the file cannot be read, where the library's does
    /// not.
    func explained(_ error: StorageError) -> StorageError {
        switch error.code.primary {
        case .notADatabase:
            return capabilities.cipherVersion != nil
                ? StorageError(
                    .wrongKey, "the key does not open this file, or the file is not a database")
                : StorageError(
                    .notADatabase, "file is not a database, or it is encrypted and no key was given")
        // The database itself is already open.
        case .cannotOpen where options.access == .readOnly && isInReadOnlyDirectory:
            return StorageError(error.code, Self.logNeedsWriteAccess, sql: error.sql)
        default: return error
        }
    }

    /// Returns the message for a read that fails because it would have to write; `nil` for other codes.
    func needsWriteAccessMessage(_ code: Int32) -> String? {
        switch code {
        case SQLiteReadOnlyCode.rollback: Self.journalNeedsWriteAccess
        case SQLiteReadOnlyCode.recovery, SQLiteReadOnlyCode.cannotInitialize: Self.logNeedsWriteAccess
        // A connection with write access gets this code for writes to a file in a read-only directory.
        case SQLiteReadOnlyCode.directory where options.access == .readOnly: Self.logNeedsWriteAccess
        default: nil
        }
    }

    private var isInReadOnlyDirectory: Bool {
        guard let path = try? mainFilePath() else { return false }
        return !path.split().directory.isWritable
    }

    private static let journalNeedsWriteAccess = """
        a transaction was interrupted, and the database cannot be read until its -journal file is rolled back, which \
        needs write access: open the database in a program that can write to it, or read a copy of the database and \
        its -journal file
        """

    private static let logNeedsWriteAccess = """
        the write-ahead log cannot be read without writing files next to the database: allow writing to the \
        directory, keep the database open in a program that can write to it, or read a copy of the database and \
        its -wal file in another directory
        """
}
