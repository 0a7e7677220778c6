import CVigilPostgres
import VigilStorage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The properties of a session reported by the server, and the settings of all sessions.
struct PostgresSession: Equatable {
    /// The version of the server, such as `15.8`.
    var version: String
    /// The schema of new unqualified names, called `main` above the driver.
    var mainSchema: String
    /// Whether the server replays the log of another one.
    var isStandby: Bool

    /// The number of the server process of the session.
    var process: String
    /// Whether a connection pooler or another proxy is between the server and this program: the process then
    /// has another number than reported when the connection was made. Only poolers that keep a session for
    /// each connection can be used.
    var isPooled: Bool
    /// The time zone of the session.
    private var timeZone = "UTC"
    /// Whether the program may have changed the driver's settings.
    var hasChangedSettings = false

    /// The oldest supported version.
    static let minimumVersion: Int32 = 150_000
    /// The longest time to wait for an answer while a session is set up.
    static let setUpTimeout = Duration.seconds(10)

    /// Asks for the number of the server process of the session.
    static let processQuestion = "SELECT pg_backend_pid()"

    /// Connects with libpq. Returns `nil` for lack of memory; the status of the connection shows whether
    /// it succeeded.
    ///
    /// - Parameter replicates: whether the session accepts commands of the replication protocol.
    static func connect(
        _ string: String, replicates: Bool = false, api: UnsafePointer<vigil_postgres_api>
    ) -> OpaquePointer? {
        var parameters = parameters(string, hasEnvironment: { getenv($0) != nil })
        if replicates { parameters.append(("replication", "database")) }
        return withCStrings(parameters.map(\.0)) { keywords in
            withCStrings(parameters.map(\.1)) { values in
                api.pointee.connectdbParams(keywords, values, 1)
            }
        }
    }

    /// Returns the parameters of a connection, in libpq's order: a later one overrides an earlier one.
    ///
    /// The limits of time apply unless the connection string or the environment sets them, or names a service
    /// whose file may do so. libpq has none of its own, and would wait two hours for a lost server.
    static func parameters(_ string: String, hasEnvironment: (String) -> Bool) -> [(String, String)] {
        var parameters: [(String, String)] = []
        let namesService =
            hasEnvironment("PGSERVICE") || string.contains("service=") || string.contains("service =")
        if !namesService {
            if !hasEnvironment("PGCONNECT_TIMEOUT") { parameters.append(("connect_timeout", "10")) }
            parameters += [
                ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "60000"),
            ]
        }
        // libpq reads the database's name as a connection string.
        return parameters + [
            ("dbname", string), ("client_encoding", "UTF8"), ("fallback_application_name", "vigil"),
        ]
    }

    /// Sets the formats of values, and reads the properties of the server.
    init(
        settingUp channel: ServerChannel, api: UnsafePointer<vigil_postgres_api>, options: StorageOptions
    ) throws(StorageError) {
        let number = api.pointee.serverVersion(channel.handle)
        version = PostgresLibrary.versionText(number)
        mainSchema = "public"
        isStandby = false
        guard number >= Self.minimumVersion else {
            throw StorageError(
                .cannotOpen,
                "the server is version \(version), and Vigil needs PostgreSQL "
                    + "\(PostgresLibrary.versionText(Self.minimumVersion)) or later")
        }
        channel.answerTimeout = Self.setUpTimeout
        defer { channel.answerTimeout = nil }
        let sql = Self.defaultSettings + Self.lockTimeout(options) + Self.question
        let answers = channel.run(sql)
        guard let result = answers.last, !result.isError, result.rowCount == 1 else {
            let reason =
                channel.failure == .noAnswer
                ? "the server does not answer" : answers.last?.message.trimmedLines ?? ""
            throw StorageError(.cannotOpen, "cannot set up the session: \(reason)")
        }
        let product = result.text(row: 0, column: 0) ?? ""
        guard Self.isPostgreSQL(product) else {
            throw StorageError(
                .cannotOpen, "the server is not PostgreSQL: commits cannot be observed on \(product)")
        }
        mainSchema = result.text(row: 0, column: 1) ?? mainSchema
        isStandby = result.text(row: 0, column: 2) == "t"
        process = result.text(row: 0, column: 3) ?? ""
        isPooled = process != String(api.pointee.backendPID(channel.handle))
    }

    // MARK: - Settings

    private static let formats = """
        SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'; SET extra_float_digits = 3;
        SET bytea_output = 'hex'; SET standard_conforming_strings = on; SET client_encoding = 'UTF8';
        """

    /// SQL for the settings of all sessions: the formats, and a time zone.
    static var defaultSettings: String { formats + timeZone("UTC") }

    private static func timeZone(_ name: String) -> String { "SET TimeZone = \(name.quotedSQLText);" }

    private static func lockTimeout(_ options: StorageOptions) -> String {
        guard let timeout = options.busyTimeout else { return "" }
        // Zero means no limit to the server.
        return "SET lock_timeout = \(max(1, min(Int64(Int32.max), timeout.milliseconds)));"
    }

    private static let question =
        "SELECT version(), current_schema(), pg_is_in_recovery(), pg_backend_pid()"

    /// SQL to restore the formats and the time zone of the session.
    var settings: String { Self.formats + Self.timeZone(timeZone) }

    /// Keeps the time zone set by the preparation of the session.
    mutating func adoptTimeZone(of channel: ServerChannel) {
        timeZone = channel.setting("TimeZone") ?? timeZone
    }

    /// Returns whether the settings reported by the server are still the session's.
    func matchesSettings(_ channel: ServerChannel) -> Bool {
        channel.setting("DateStyle")?.hasPrefix("ISO") != false
            && channel.setting("IntervalStyle") ?? "postgres" == "postgres"
            && channel.setting("standard_conforming_strings") ?? "on" == "on"
            && channel.setting("client_encoding") ?? "UTF8" == "UTF8"
            && channel.setting("TimeZone") ?? timeZone == timeZone
    }

    // MARK: - Poolers

    static let poolerError = StorageError(
        .cannotOpen,
        """
        the server is reached through a connection pooler that gives each transaction another session, such as \
        PgBouncer with pool_mode = transaction, and Vigil needs one session for each connection: use the session \
        mode of the pooler, or connect to the server itself
        """)

    /// Checks that a pooler keeps the session for the new connection.
    ///
    /// Another pooler gives the unused session to the next transaction of another connection. If it does not
    /// at this moment, each transaction notices later that it runs in another session.
    static func checkPooler(
        of session: PostgresSession, _ string: String, _ library: PostgresLibrary
    ) throws(StorageError) {
        let api = library.api
        guard let handle = connect(string, api: api) else { return }
        let channel = ServerChannel(handle, api: api, canceller: PostgresInterrupter())
        // A pooler without a free session waits for one.
        channel.answerTimeout = .milliseconds(500)
        guard channel.isConnected else { return }
        let answer = channel.run(processQuestion).last
        if answer?.text(row: 0, column: 0) == session.process { throw poolerError }
    }

    /// Returns whether a server has the snapshots of PostgreSQL. Others speak its protocol, but their commits
    /// cannot be detected in the same way.
    static func isPostgreSQL(_ version: String) -> Bool {
        version.hasPrefix("PostgreSQL")
            && !["-YB-", "CockroachDB", "Redshift", "Greenplum", "DSQL"].contains { version.contains($0) }
    }

    /// Calls `body` with C strings, followed by NULL.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        let offsets = strings.map { string in
            defer { bytes += string.utf8CString }
            return bytes.count
        }
        return bytes.withUnsafeBufferPointer { bytes in
            body(offsets.map { offset in bytes.baseAddress.map { $0 + offset } } + [nil])
        }
    }
}

extension Duration {
    /// The number of whole milliseconds.
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        let fraction = attoseconds / 1_000_000_000_000_000
        return overflows ? .max : product.addingReportingOverflow(fraction).partialValue
    }
}
