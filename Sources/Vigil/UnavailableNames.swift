public import VigilEngine
import VigilStorage

// Names of GRDB without a counterpart. The messages name what to use instead.

extension Configuration {
    /// Whether an app on iOS releases memory when it enters the background.
    @available(
        *, unavailable,
        message: "memory is not released automatically: call releaseMemoryEventually() when the app needs it"
    )
    public var automaticMemoryManagement: Bool {
        get { trap("unavailable") }
        set {}
    }
}

extension DatabasePool {
    /// Returns a snapshot with several connections.
    @available(
        *, unavailable,
        message: "a snapshot has one connection: use makeSnapshot(), whose accesses run one after the other"
    )
    public func makeSnapshotPool() throws -> DatabaseSnapshotPool { trap("unavailable") }
}

/// A snapshot with several connections.
@available(
    *, unavailable,
    message: "a snapshot has one connection: use DatabasePool.makeSnapshot(), or read in one access"
)
public final class DatabaseSnapshotPool: Sendable {
    /// Creates a snapshot.
    public init(path: String, configuration: Configuration = Configuration()) throws {}

    /// Creates a snapshot.
    public init(_ db: Database, configuration: Configuration? = nil) throws {}
}

extension Database {
    /// The code of the last error.
    @available(
        *, unavailable,
        message: "catch the DatabaseError that is thrown, and read its extendedResultCode"
    )
    public var lastErrorCode: ResultCode { trap("unavailable") }

    /// The message of the last error.
    @available(*, unavailable, message: "catch the DatabaseError that is thrown, and read its message")
    public var lastErrorMessage: String? { trap("unavailable") }

    /// The handle of the C library.
    @available(
        *, unavailable,
        message:
            "use SQLiteBackend.withConnectionHandle(_:_:), so that observations notice what the handle changes"
    )
    public var sqliteConnection: OpaquePointer? { trap("unavailable") }
}

// SQLCipher
extension Database {
    /// Whether the cryptographic library is in FIPS mode.
    @available(
        *, unavailable, message: "fetch it: String.fetchOne(db, sql: \"PRAGMA cipher_fips_status\")"
    )
    public var cipherFipsStatus: String? { trap("unavailable") }

    /// The version of the cryptographic library.
    @available(
        *, unavailable, message: "fetch it: String.fetchOne(db, sql: \"PRAGMA cipher_provider_version\")"
    )
    public var cipherProviderVersion: String? { trap("unavailable") }

    /// Sets the license of a commercial library.
    @available(*, unavailable, message: "pass the license to SQLCipherBackend(key:license:)")
    public func applySQLCipherLicense(_ license: String) throws {}

    /// Writes the messages of the library.
    @available(*, unavailable, message: "set SQLCipherBackend.log before the database is opened")
    public func enableCipherLogging() throws {}

    /// Drops the messages of the library.
    @available(*, unavailable, message: "set SQLCipherBackend.log to nil, which is the default")
    public func disableCipherLogging() throws {}
}

extension Statement {
    /// The handle of the C library.
    @available(
        *, unavailable,
        message: "compile a statement of your own in SQLiteBackend.withConnectionHandle(_:_:)"
    )
    public var sqliteStatement: OpaquePointer { trap("unavailable") }
}

/// The values of a row before its change.
@available(
    *, unavailable,
    message:
        "transaction observers receive no values: fetch the row in databaseDidCommit, or observe a request"
)
public struct DatabasePreUpdateEvent: Sendable {}
