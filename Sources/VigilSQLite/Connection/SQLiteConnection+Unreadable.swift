import CVigilSQLite
import VigilStorage

extension SQLiteConnection {
    /// Returns the error with the reason for an unreadable file, where the library's message lacks it.
    func explained(_ error: StorageError) -> StorageError {
        switch error.code.primary {
        case .notADatabase: return notADatabaseError()
        // The header is readable, and the rest is not.
        case .error where isOpening && capabilities.cipherVersion == nil && beginsWithReservedBytes:
            return StorageError(
                .notADatabase,
                """
                \(error.message): a newer version wrote the file, or it is encrypted with a plaintext header and no key \
                was given
                """)
        case .authorization where isOpening && capabilities.cipherVersion != nil:
            return StorageError(
                .authorization,
                """
                \(error.message): a commercial library requires a valid license, which SQLCipherBackend(license:) gives it
                """)
        // The database itself is already open.
        case .cannotOpen where options.access == .readOnly && isInReadOnlyDirectory:
            return StorageError(error.code, Self.logNeedsWriteAccess, sql: error.sql)
        default: return error
        }
    }

    private func notADatabaseError() -> StorageError {
        let header = FileHeader(of: self)
        if capabilities.cipherVersion == nil {
            return StorageError(.notADatabase, header.messageWithoutKey)
        }
        if header.isPlain, !encryption.hasPlaintextHeader, header.reservedByteCount > 0 {
            return StorageError(
                .wrongKey,
                """
                the header of the file is not encrypted, and the rest may be: give the cipher setting plaintextHeader, \
                or open the file without a key
                """)
        }
        if header.isPlain, !encryption.hasPlaintextHeader {
            return StorageError(
                .notEncrypted, "a key was given, but the file is not encrypted: open it without a key")
        }
        if header.isTooShort {
            return StorageError(.notADatabase, "the file is not a database: it has \(header.size) bytes")
        }
        return StorageError(
            .wrongKey,
            """
            the key does not open this file, or the file has other cipher settings, or its first page is damaged: give \
            the key and the settings that it was created with (compatibility 3 for a file of SQLCipher 3)
            """)
    }

    /// Whether the file has SQLite's header, and reserves bytes at the end of each page as encryption does.
    private var beginsWithReservedBytes: Bool {
        let header = FileHeader(of: self)
        return header.isPlain && header.reservedByteCount > 0
    }

    /// Returns whether a statement attaches a database without a key while the library does not use this
    /// one's. Databases in memory need none.
    func isUnencryptedAttachment(_ sql: String) -> Bool {
        let tokens = SQLTokens(sql)
        guard tokens.startsWith(["ATTACH"]), !sql.namesKeys else { return false }
        let name = tokens.tokens.first { $0.kind == .string }?.content
        return name != ":memory:" && name != "" && FileHeader(of: self).size <= 0
    }

    static func unencryptedAttachment(_ sql: String) -> StorageError {
        StorageError(
            .encryptionUnavailable,
            """
            the attached database would not be encrypted, because this library only uses the key of a file that is not \
            empty: create a table first if the main database is a file, or give the key with ATTACH … KEY
            """, sql: sql)
    }

    /// Returns the error for an unreadable page of an encrypted file; `nil` for other errors.
    ///
    /// SQLite reports a lack of memory if SQLCipher does not return a decrypted page.
    func damagedPageError(_ code: Int32, sql: String?) -> StorageError? {
        let code = StorageError.Code(rawValue: code)
        switch code.primary {
        case .corrupt: encryption.hasReadDamagedPage = true
        case .outOfMemory where encryption.hasReadDamagedPage: break
        case .outOfMemory:
            return StorageError(
                .corrupt,
                """
                a page of the encrypted file cannot be decrypted: it is damaged, another connection has changed the key, \
                or there is no memory left
                """, sql: sql)
        default: return nil
        }
        return StorageError(
            code.primary == .corrupt ? code : .corrupt,
            """
            a page of the encrypted file is damaged, or was changed without the key: restore the file from a backup. \
            Database.cipherIntegrityCheck() lists such pages
            """, sql: sql)
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

/// The beginning of a database file.
private struct FileHeader {
    /// The size of the file; -1 if it cannot be read.
    let size: Int64
    let isPlain: Bool
    /// The number of unused bytes at the end of each page.
    let reservedByteCount: Int

    init(of connection: SQLiteConnection) {
        var bytes = [UInt8](repeating: 0, count: 24)
        guard let handle = try? connection.openHandle() else {
            (size, isPlain, reservedByteCount) = (-1, false, 0)
            return
        }
        size = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map {
                vigil_sqlite_read_header(connection.api, handle, $0, Int32(buffer.count))
            } ?? -1
        }
        isPlain = bytes.starts(with: "SQLite format 3\0".utf8)
        reservedByteCount = isPlain ? Int(bytes[20]) : 0
    }

    /// Whether no database is so short.
    var isTooShort: Bool { (1..<512).contains(size) }

    var messageWithoutKey: String {
        if isPlain { return "the file is not a database: its header is damaged. Restore it from a backup" }
        if size > 0, size % 512 != 0 { return "the file is not a database: it has \(size) bytes" }
        return """
            the file is encrypted and no key was given, or it is not a database: to open an encrypted file, set \
            configuration.backend = SQLCipherBackend(key: …)
            """
    }
}
