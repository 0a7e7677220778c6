#if !SQLite
    public import VigilStorage

    // The declaration of a build without the trait SQLite: its message names it.

    /// The backend for plain databases, on SQLite.
    @available(
        *, unavailable,
        message:
            "libsqlite3 needs the trait SQLite of the package Vigil; SQLCipherBackend opens plain databases too"
    )
    public struct SQLiteBackend: StorageBackend {
        /// The source of the C library.
        public enum Library: Sendable {
            /// The linked library.
            case linked
            /// The library at a path.
            case path(String)
        }

        /// Creates a backend.
        public init(library: Library = .linked) {}

        /// The name of the library.
        public var name: String { "SQLite" }

        /// Throws an error.
        public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> any StorageConnection
        {
            throw StorageError(.libraryUnavailable, "this build does not include libsqlite3")
        }

        /// Returns `nil`.
        public func watchForeignChanges(
            of location: StorageLocation, onHint: @escaping @Sendable () -> Void
        ) throws(StorageError) -> (any StorageWatch)? { nil }
    }
#endif
