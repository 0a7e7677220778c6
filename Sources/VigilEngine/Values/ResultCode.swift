/// What went wrong, as a number: SQLite's result codes, which every backend maps its own to.
///
/// A *primary* code names a family (`SQLITE_CONSTRAINT`), an *extended* code one member of it
/// (`SQLITE_CONSTRAINT_FOREIGNKEY`). In a pattern a primary code matches its whole family, an
/// extended code only itself, so list extended codes first:
///
/// ```swift
/// do {
///     try player.insert(db)
/// } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
///     // This player is there already.
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///     // Another constraint is violated.
/// }
/// ```
public struct ResultCode: RawRepresentable, Equatable, Hashable, Sendable, ResultCodeNames {
    /// The number, extension included.
    public let rawValue: CInt

    /// Makes a code of any number, also of one that has no name here.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The code of the family that this code belongs to: its lowest eight bits.
    public var primaryResultCode: ResultCode {
        ResultCode(rawValue: rawValue & 0xFF)
    }

    /// Whether `code` is `pattern`, or belongs to the family that `pattern` names.
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

    /// Whether `error` is a ``DatabaseError`` whose ``DatabaseError/extendedResultCode`` matches `pattern`.
    public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return pattern ~= error.extendedResultCode
    }
}

extension ResultCode: CustomStringConvertible {
    /// The number and what it means, such as `19 (constraint failed)`.
    public var description: String { "\(rawValue) (\(text))" }

    /// What the code means, in the words of the library, which people search for.
    package var text: String {
        switch self {
        case .SQLITE_ABORT_ROLLBACK: "abort due to ROLLBACK"
        case .SQLITE_ROW: "another row available"
        case .SQLITE_DONE: "no more rows available"
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
