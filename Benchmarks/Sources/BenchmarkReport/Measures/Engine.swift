/// A library that runs the scenarios.
public enum Engine: String, CaseIterable, Codable, Sendable, Comparable {
    case vigil
    case vigilSQLCipher = "vigil-sqlcipher"
    case grdb
    /// GRDB with its most obvious API, `ValueObservation.tracking`. Measured only if `--engine` names it.
    case grdbTracking = "grdb-tracking"
    case c

    /// The engines that are measured unless `--engine` selects others.
    public static let standard: [Engine] = [.vigil, .vigilSQLCipher, .grdb, .c]

    /// A description of the engine and its settings, for reports.
    public var settings: String {
        switch self {
        case .vigil:
            "Vigil on libsqlite3; ValueObservation.tracking with plain SQL; cached statements"
        case .vigilSQLCipher:
            """
            the same program on libsqlcipher, with a raw key of 32 bytes. SQLCipher does not encrypt databases in \
            memory. Debian builds it on SQLite 3.15, which visits all of their pages at each commit
            """
        case .grdb:
            """
            GRDB 7.10.0 on libsqlite3; ValueObservation.trackingConstantRegion, and for observations of one row \
            tracking(region: Table("player").filter(key:)), because its regions identify rows only from requests \
            by key; cached statements
            """
        case .grdbTracking:
            "GRDB 7.10.0 on libsqlite3; ValueObservation.tracking with plain SQL; cached statements"
        case .c:
            """
            libsqlite3 alone: the writes, and after each write the one query whose result changed, if any. \
            It observes nothing, and is the lower bound for an observer. With servers, libpq alone
            """
        }
    }

    private var place: Int { Engine.allCases.firstIndex(of: self) ?? 0 }

    public static func < (lhs: Engine, rhs: Engine) -> Bool { lhs.place < rhs.place }
}
