import VigilStorage

/// The server's five characters for an error.
struct SQLState: Sendable, Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    /// The first two characters, for a class of errors.
    var errorClass: Substring { text.prefix(2) }

    static let lockNotAvailable = SQLState("55P03")
    static let invalidStatementName = SQLState("26000")
    static let featureNotSupported = SQLState("0A000")
    /// The errors of a value outside of the type of a parameter.
    static let typeErrors: Set<String> = [
        "22P02", "22P03", "22003", "22007", "22008", "42804", "42883", "42P18",
    ]
    static let failedTransaction = SQLState("25P02")

    /// The code of errors handled alike by callers.
    var code: StorageError.Code {
        Self.codes[text] ?? Self.classCodes[errorClass] ?? .error
    }

    private static let codes: [String: StorageError.Code] = [
        "23505": .init(rawValue: 2067),  // SQLITE_CONSTRAINT_UNIQUE
        "23503": .init(rawValue: 787),  // SQLITE_CONSTRAINT_FOREIGNKEY
        // Since PostgreSQL 18, of a foreign key with RESTRICT.
        "23001": .init(rawValue: 787),
        "23502": .init(rawValue: 1299),  // SQLITE_CONSTRAINT_NOTNULL
        "23514": .init(rawValue: 275),  // SQLITE_CONSTRAINT_CHECK
        "25006": .readOnly,
        "25P02": .abort,
        "25P03": .ioError,  // The server ended a session that was idle in a transaction.
        "40001": .busy,
        "40P01": .busy,
        "42501": .authorization,
        "53100": .full,
        "53200": .outOfMemory,
        "53300": .cannotOpen,
        "55P03": .busy,
        "57014": .interrupt,
        "57P01": .ioError,
        "57P02": .ioError,
        "57P03": .cannotOpen,
        "57P05": .ioError,
        "XX001": .corrupt,
        "XX002": .corrupt,
    ]

    private static let classCodes: [Substring: StorageError.Code] = [
        "08": .ioError,
        "23": .constraint,
        "28": .authorization,
        "3D": .cannotOpen,
        "40": .abort,
        "58": .ioError,
        // SQLITE_INTERNAL, such as for two concurrent changes of the catalog.
        "XX": .init(rawValue: 2),
        "F0": .cannotOpen,
    ]

    /// Whether another transaction was in the way, so that the same statement can succeed if it is run again.
    var isBusy: Bool { code.primary == .busy }

    /// Whether the same access can succeed later: another transaction or session was in the way, the server
    /// lacked a resource, or the snapshot was older than the server keeps removed rows.
    ///
    /// A cancelled statement (`57014`) is not among them, because the program may have cancelled it.
    var isTransient: Bool {
        ["40001", "40P01", "55006", "55P03", "57P03", "72000"].contains(text) || errorClass == "53"
    }

    static let queryCanceled = SQLState("57014")
}
