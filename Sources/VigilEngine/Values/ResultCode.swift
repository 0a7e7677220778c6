/// An SQLite result code. Every backend maps its errors to these codes.
///
/// A *primary* code identifies a family of errors (`SQLITE_CONSTRAINT`), an *extended* code one member of it
/// (`SQLITE_CONSTRAINT_FOREIGNKEY`). As a pattern, a primary code matches its whole family, and an extended
/// code matches only itself. Catch extended codes first:
///
/// ```swift
/// do {
///     try player.insert(db)
/// } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
///     // The player already exists.
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///     // Another constraint is violated.
/// }
/// ```
public struct ResultCode: RawRepresentable, Equatable, Hashable, Sendable, ResultCodeNames {
    /// The number of the code, including its extension.
    public let rawValue: CInt

    /// Creates a code from a number, even if it has no name.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The primary code of this code's family: its lowest eight bits.
    public var primaryResultCode: ResultCode {
        ResultCode(rawValue: rawValue & 0xFF)
    }

    /// Returns whether `code` equals `pattern`, or belongs to the family of `pattern`.
    ///
    /// ```swift
    /// switch error.extendedResultCode {
    /// case .SQLITE_BUSY_SNAPSHOT: retryTransaction()
    /// case .SQLITE_BUSY: wait()
    /// default: giveUp()
    /// }
    /// ```
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primaryResultCode
    }

    /// Returns whether `error` is a ``DatabaseError`` whose ``DatabaseError/extendedResultCode`` matches
    /// `pattern`.
    public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return pattern ~= error.extendedResultCode
    }
}

extension ResultCode: CustomStringConvertible {
    /// The number and its meaning, such as `19 (constraint failed)`.
    public var description: String { "\(rawValue) (\(text))" }

    /// The meaning of the code, in the words of the SQLite library, so that you can search for it.
    package var text: String {
        switch self {
        case .SQLITE_ABORT_ROLLBACK: "abort due to ROLLBACK"
        case .SQLITE_ROW: "another row available"
        case .SQLITE_DONE: "no more rows available"
        case .CONNECTION_LOST: "the connection to the server was lost"
        case .FILE_MOVED: "the file was replaced or deleted"
        case .WRONG_KEY: "the key does not open the file"
        case .NOT_ENCRYPTED: "the file is not encrypted"
        case .ENCRYPTION_UNAVAILABLE: "the library does not encrypt"
        case .LIBRARY_UNAVAILABLE: "the library is missing"
        case .CIPHER_FEATURE_UNAVAILABLE: "the library does not support a setting of the encryption"
        default: Self.texts[primaryResultCode.rawValue] ?? "unknown error"
        }
    }

    private static let texts: [CInt: String] = [
        0: "not an error", 1: "SQL logic error", 3: "access permission denied", 4: "query aborted",
        5: "database is locked", 6: "database table is locked", 7: "out of memory",
        8: "attempt to write a readonly database", 9: "interrupted", 10: "disk I/O error",
        11: "database disk image is malformed", 12: "unknown operation",
        13: "database or disk is full", 14: "unable to open database file", 15: "locking protocol",
        17: "database schema has changed", 18: "string or blob too big", 19: "constraint failed",
        20: "datatype mismatch", 21: "bad parameter or other API misuse", 23: "authorization denied",
        25: "column index out of range", 26: "file is not a database", 27: "notification message",
        28: "warning message",
    ]
}
