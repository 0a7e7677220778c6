/// What does the work.
public enum Engine: String, CaseIterable, Codable, Sendable, Comparable {
    case vigil
    case vigilSQLCipher = "vigil-sqlcipher"
    case grdb
    /// GRDB as it is when one asks for nothing in particular. Only measured when it is named.
    case grdbTracking = "grdb-tracking"
    case c

    /// Those that are measured when none is named.
    public static let standard: [Engine] = [.vigil, .vigilSQLCipher, .grdb, .c]

    /// What it is, and with which settings.
    public var settings: String {
        switch self {
        case .vigil:
            "Vigil on libsqlite3; ValueObservation.tracking with plain SQL; cached statements"
        case .vigilSQLCipher:
            """
            the same program on libsqlcipher, with a raw key of 32 bytes. Databases in memory are not encrypted by \
            SQLCipher; and SQLite 3.15, on which Debian builds it, goes through all their pages at each commit
            """
        case .grdb:
            """
            GRDB 7.10.0 on libsqlite3; ValueObservation.trackingConstantRegion, and for observations of one row \
            tracking(region: Table("player").filter(key:)), since its regions know rows by key only in the query \
            interface; cached statements
            """
        case .grdbTracking:
            "GRDB 7.10.0 on libsqlite3; ValueObservation.tracking with plain SQL; cached statements"
        case .c:
            """
            libsqlite3 alone: the writes, and after each the one query whose result changed, if there is one. \
            It observes nothing: it is the limit of what an observer could reach
            """
        }
    }

    private var place: Int { Engine.allCases.firstIndex(of: self) ?? 0 }

    public static func < (lhs: Engine, rhs: Engine) -> Bool { lhs.place < rhs.place }
}
