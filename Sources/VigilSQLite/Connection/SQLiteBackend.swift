#if SQLite
    public import VigilStorage

    /// A backend for plain SQLite databases. It uses the linked libsqlite3, or a library at a given path.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.backend = SQLiteBackend()
    /// ```
    public struct SQLiteBackend: StorageBackend {
        /// The source of the C library.
        public enum Library: Sendable, Hashable {
            /// The linked library.
            case linked
            /// The library at a path, or with a name known to the dynamic loader, separate from all others.
            case path(String)
        }

        private let library: Library
        private let ignoresPreupdateHook: Bool

        /// Creates a backend. The library is loaded when it is first used.
        public init(library: Library = .linked) {
            self.init(library: library, ignoresPreupdateHook: false)
        }

        /// Creates a backend for tests, optionally as with a library built without the pre-update hook.
        package init(library: Library = .linked, ignoresPreupdateHook: Bool) {
            self.library = library
            self.ignoresPreupdateHook = ignoresPreupdateHook
        }

        /// The name and version of the library, such as `SQLite 3.40.1`; `SQLite` if it cannot be loaded.
        public var name: String {
            (try? resolvedLibrary()).map { "SQLite \($0.version)" } ?? "SQLite"
        }

        private func resolvedLibrary() throws(StorageError) -> SQLiteLibrary {
            let found =
                switch library {
                case .linked: try SQLiteLibrary.linked()
                case .path(let path): try SQLiteLibrary.loaded(path)
                }
            return ignoresPreupdateHook ? found.withoutPreupdateHook() : found
        }

        /// Opens a connection.
        ///
        /// - Throws: `StorageError` if the library is missing, or cannot open or read the database.
        public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> any StorageConnection
        {
            var options = options
            // The program has no preparation that affects how the file is read, such as setting a key.
            options.isReadableBeforePreparation = true
            return try SQLiteConnection(library: resolvedLibrary(), location: location, options: options)
        }

        /// Starts watching for commits of other connections and processes.
        ///
        /// - Parameters:
        ///   - location: the location of the database.
        ///   - onHint: called for each sign, on a thread of the watch, when the database's files may have
        ///     changed.
        /// - Returns: the watch, until it is cancelled or released; `nil` for a database in memory.
        /// - Throws: `StorageError` if the directory does not exist, or if the system allows no further
        ///   watch.
        public func watchForeignChanges(
            of location: StorageLocation, onHint: @escaping @Sendable () -> Void
        ) throws(StorageError) -> (any StorageWatch)? {
            try DirectoryWatch.start(for: location, onHint: onHint)
        }
    }
#endif
