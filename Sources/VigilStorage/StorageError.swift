/// An error that a backend throws.
///
/// ```swift
/// throw StorageError(.error, "no such table: \(name)", sql: sql)
/// ```
///
/// Messages and SQL never contain keys or bound values.
public struct StorageError: Error, Sendable, Hashable {
    /// The kind of an error: an extended result code of SQLite. Other backends map their errors to these.
    ///
    /// Callers decide by ``primary`` whether to retry, roll back or give up, so choose it with care; the
    /// extension is informational.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number of the extended result code.
        public let rawValue: Int32

        /// Creates a code from an extended result code.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// The code without its extension: the low 8 bits.
        public var primary: Code { Code(rawValue: rawValue & 0xFF) }

        /// The SQL does not compile, names something unknown, or is not possible in this state.
        public static let error = Code(rawValue: 1)
        /// The statement was aborted, such as by a rollback.
        public static let abort = Code(rawValue: 4)
        /// Another connection holds a lock, and the busy handler gave up.
        public static let busy = Code(rawValue: 5)
        /// Another statement or connection with the same cache holds a lock.
        public static let locked = Code(rawValue: 6)
        /// Memory could not be allocated.
        public static let outOfMemory = Code(rawValue: 7)
        /// A write on a read-only connection, or to a read-only file.
        public static let readOnly = Code(rawValue: 8)
        /// The file was replaced or deleted while the connection had it open.
        public static let fileMoved = Code(rawValue: 8 | (4 << 8))
        /// ``StorageInterrupter/interrupt()`` ended the statement.
        public static let interrupt = Code(rawValue: 9)
        /// Reading or writing the file failed.
        public static let ioError = Code(rawValue: 10)
        /// The connection to the server was lost. The open transaction was rolled back; after a failed
        /// commit, it is not known whether it was committed. The next access connects again.
        public static let connectionLost = Code(rawValue: 10 | (100 << 8))
        /// The database file is damaged.
        public static let corrupt = Code(rawValue: 11)
        /// The disk or the database is full.
        public static let full = Code(rawValue: 13)
        /// The database cannot be opened, or does not exist.
        public static let cannotOpen = Code(rawValue: 14)
        /// A row violates a constraint, or the sink prevented the commit.
        public static let constraint = Code(rawValue: 19)
        /// The caller broke a rule of these protocols, such as by using a closed connection.
        public static let misuse = Code(rawValue: 21)
        /// The statement is not permitted.
        public static let authorization = Code(rawValue: 23)
        /// No parameter has the index.
        public static let range = Code(rawValue: 25)
        /// The file is not a database, or it is encrypted and no key was given.
        public static let notADatabase = Code(rawValue: 26)
        /// The key does not open the file: it is wrong, or the file is not a database.
        public static let wrongKey = Code(rawValue: 26 | (1 << 8))
        /// A key was given for a plain file.
        public static let notEncrypted = Code(rawValue: 26 | (2 << 8))
        /// A key was given to a backend without encryption.
        public static let encryptionUnavailable = Code(rawValue: 1 | (100 << 8))
        /// The library of the backend is missing, or lacks a required function.
        public static let libraryUnavailable = Code(rawValue: 1 | (101 << 8))
        /// The library does not support a setting or a function of the encryption.
        public static let cipherFeatureUnavailable = Code(rawValue: 1 | (102 << 8))
    }

    /// The kind of the error.
    public var code: Code
    /// A human-readable message, without bound values or keys.
    public var message: String
    /// The text of the failed statement, without bound values; `nil` if no statement failed.
    public var sql: String?
    /// The error's name in the SQL standard or on the server, such as `23505`; `nil` if it has none.
    public var sqlState: String?
    /// Further information of a server about the error; `nil` for other systems.
    public var diagnostics: StorageDiagnostics?
    /// Whether the same access can succeed later, without a change of the program or the schema: another
    /// transaction of the server was in the way, a limit of time or of a resource was exceeded, or an
    /// administrator has cancelled the statement.
    ///
    /// An observation's fetch that fails with such an error, or with ``Code/connectionLost``, is repeated.
    public var isTransient = false
    /// The name of the database system in messages, such as `PostgreSQL`; `nil` for SQLite, and for errors of
    /// a connection with the system's name in its dialect.
    package var systemName: String?

    /// Creates an error. Keys in `sql`, such as in `ATTACH … KEY`, are removed from it and from the message.
    public init(_ code: Code, _ message: String, sql: String? = nil) {
        self.code = code
        self.message = sql.map { message.withoutKeys(of: $0) } ?? message
        self.sql = sql?.withoutKeys
    }
}

extension StorageError: CustomStringConvertible {
    /// The code, the message and the SQL.
    public var description: String {
        let text = "error \(code.rawValue): \(message)"
        guard let sql, !sql.isEmpty else { return text }
        return "\(text) - while executing `\(sql)`"
    }
}

/// Further information of a server about an error: its objects, and a hint. It contains no values.
public struct StorageDiagnostics: Sendable, Hashable {
    /// A suggestion what to do, in a sentence.
    public var hint: String?
    /// The name of the schema of the table or type.
    public var schemaName: String?
    /// The name of the table.
    public var tableName: String?
    /// The name of the column.
    public var columnName: String?
    /// The name of the data type.
    public var typeName: String?
    /// The name of the violated constraint, or of its index.
    public var constraintName: String?

    /// Creates diagnostics without information.
    public init() {}
}
