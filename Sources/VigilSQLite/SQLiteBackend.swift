#if SQLite
    public import VigilStorage

    /// Plain SQLite databases, on the libsqlite3 that this build links, or on a library of your own.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.backend = SQLiteBackend()
    /// ```
    public struct SQLiteBackend: StorageBackend {
        /// Where the C library comes from.
        public enum Library: Sendable, Hashable {
            /// The one that this build links.
            case linked
            /// The one in a file, or of a name that the dynamic loader finds. It is kept apart from any other.
            case path(String)
        }

        private let library: Library
        private let ignoresPreupdateHook: Bool

        public init(library: Library = .linked) {
            self.init(library: library, ignoresPreupdateHook: false)
        }

        /// - Parameter ignoresPreupdateHook: whether it behaves as on a library that was built without.
        package init(library: Library = .linked, ignoresPreupdateHook: Bool) {
            self.library = library
            self.ignoresPreupdateHook = ignoresPreupdateHook
        }

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

        public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> any StorageConnection
        {
            var options = options
            // Nothing that a program could do first would change what the file says.
            options.isPreparedBeforeUse = false
            return try SQLiteConnection(library: resolvedLibrary(), location: location, options: options)
        }

        public func watchForeignChanges(
            of location: StorageLocation, onSign: @escaping @Sendable () -> Void
        ) throws(StorageError) -> (any StorageWatch)? {
            try DirectoryWatch.start(for: location, onSign: onSign)
        }
    }
#endif
