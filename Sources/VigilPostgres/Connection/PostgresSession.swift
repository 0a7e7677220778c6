import CVigilPostgres
import VigilStorage

/// The properties of a session that the server reports, and the settings of all sessions.
struct PostgresSession: Equatable {
    /// The version of the server, such as `15.8`.
    var version: String
    /// The schema in which unqualified names are created: it is called `main` above the driver.
    var mainSchema: String
    /// Whether the server replays the log of another one.
    var isStandby: Bool

    /// The oldest supported version.
    static let minimumVersion: Int32 = 150_000

    /// Connects with libpq. Returns `nil` if there is no memory; the status of the connection shows whether it succeeded.
    static func connect(_ string: String, api: UnsafePointer<vigil_postgres_api>) -> OpaquePointer? {
        let keywords = ["dbname", "client_encoding", "fallback_application_name"]
        return withCStrings(keywords) { keywords in
            withCStrings([string, "UTF8", "vigil"]) { values in
                // libpq reads the database's name as a connection string, and later pairs override it.
                api.pointee.connectdbParams(keywords, values, 1)
            }
        }
    }

    /// Sets the formats in which values are exchanged, and reads what the driver needs to know of the server.
    init(
        settingUp handle: OpaquePointer, api: UnsafePointer<vigil_postgres_api>, options: StorageOptions
    ) throws(StorageError) {
        let number = api.pointee.serverVersion(handle)
        version = PostgresLibrary.versionText(number)
        mainSchema = "public"
        isStandby = false
        guard number >= Self.minimumVersion else {
            throw StorageError(
                .cannotOpen,
                "the server is version \(version), and Vigil needs PostgreSQL "
                    + "\(PostgresLibrary.versionText(Self.minimumVersion)) or later")
        }
        guard let answer = api.pointee.exec(handle, Self.settings + Self.settings(options) + Self.question)
        else {
            throw StorageError(.outOfMemory, "out of memory")
        }
        let result = PostgresResult(answer, api: api)
        guard !result.isError, result.rowCount == 1 else {
            throw StorageError(.cannotOpen, "cannot set up the session: \(result.message.trimmedLines)")
        }
        let product = result.text(row: 0, column: 0) ?? ""
        guard Self.isPostgreSQL(product) else {
            throw StorageError(
                .cannotOpen, "the server is not PostgreSQL: commits cannot be observed on \(product)")
        }
        mainSchema = result.text(row: 0, column: 1) ?? mainSchema
        isStandby = result.text(row: 0, column: 2) == "t"
    }

    private static let settings = """
        SET DateStyle = 'ISO'; SET TimeZone = 'UTC'; SET IntervalStyle = 'postgres'; SET extra_float_digits = 3;
        SET bytea_output = 'hex'; SET standard_conforming_strings = on;
        """

    private static func settings(_ options: StorageOptions) -> String {
        var settings = options.access == .readOnly ? "SET default_transaction_read_only = on;" : ""
        if let timeout = options.busyTimeout {
            // Zero means no limit to the server.
            settings += "SET lock_timeout = \(max(1, min(Int64(Int32.max), timeout.milliseconds)));"
        }
        return settings
    }

    private static let question = "SELECT version(), current_schema(), pg_is_in_recovery()"

    /// Returns whether a server has the snapshots of PostgreSQL. Others speak its protocol, but their commits cannot be
    /// detected in the same way.
    static func isPostgreSQL(_ version: String) -> Bool {
        version.hasPrefix("PostgreSQL")
            && !["-YB-", "CockroachDB", "Redshift", "Greenplum", "DSQL"].contains { version.contains($0) }
    }

    /// Calls `body` with C strings that are followed by NULL.
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
