import CVigilPostgres
import VigilStorage

/// The entry points of libpq.
struct PostgresLibrary: Sendable {
    // The table is immutable, and exists as long as the process.
    private let table: SendablePointer<UnsafePointer<vigil_postgres_api>>

    var api: UnsafePointer<vigil_postgres_api> { table.pointer }

    /// The version of libpq, such as `15.8`.
    var version: String { Self.versionText(api.pointee.libVersion()) }

    /// Returns the linked library. Throws ``StorageError/Code/libraryUnavailable`` without the trait.
    static func linked() throws(StorageError) -> PostgresLibrary {
        guard let api = vigil_postgres_linked_api() else {
            throw StorageError(
                .libraryUnavailable, "this build of Vigil does not include libpq: enable the trait PostgreSQL"
            )
        }
        return PostgresLibrary(table: SendablePointer(api))
    }

    /// Returns the text of a version number: 150008 is `15.8`.
    static func versionText(_ number: Int32) -> String { "\(number / 10_000).\(number % 10_000)" }
}
