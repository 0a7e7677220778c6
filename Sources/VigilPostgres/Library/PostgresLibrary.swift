import CVigilPostgres
import VigilStorage

/// The entry points of libpq.
///
/// `@unchecked Sendable`: the table is immutable, and exists as long as the process.
struct PostgresLibrary: @unchecked Sendable {
    let api: UnsafePointer<vigil_postgres_api>

    /// The version of libpq, such as `15.8`.
    var version: String { Self.versionText(api.pointee.libVersion()) }

    /// Returns the library that the build links.
    ///
    /// - Throws: ``StorageError/Code/libraryUnavailable`` in a build without the trait.
    static func linked() throws(StorageError) -> PostgresLibrary {
        guard let api = vigil_postgres_linked_api() else {
            throw StorageError(
                .libraryUnavailable, "this build of Vigil does not include libpq: enable the trait PostgreSQL"
            )
        }
        return PostgresLibrary(api: api)
    }

    /// Returns the text of a version number: 150008 is `15.8`.
    static func versionText(_ number: Int32) -> String { "\(number / 10_000).\(number % 10_000)" }
}
