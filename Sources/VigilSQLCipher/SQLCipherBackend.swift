#if SQLCipher
    import CVigilSQLite
    import VigilSQLite
    public import VigilStorage

    #if !SQLite
        // Links libsqlcipher. Beside libsqlite3 it is loaded at run time instead.
        import CVigilSQLCipherLibrary
    #endif

    /// Encrypted databases, on SQLCipher.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.backend = SQLCipherBackend(key: .passphrase(secret))
    /// let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    /// ```
    ///
    /// The key is applied before the file is first read. Opening fails with
    /// ``StorageError/Code/wrongKey`` if it does not open the file, with ``StorageError/Code/notADatabase`` if the
    /// file is encrypted and there is no key, and with ``StorageError/Code/encryptionUnavailable`` if there is
    /// a key and the library does not encrypt: a database is never silently written in the clear.
    ///
    /// What SQLCipher 4 logs to standard error by itself is turned off, since errors are thrown;
    /// `PRAGMA cipher_log_level` in `prepareDatabase` turns it on again.
    public struct SQLCipherBackend: StorageBackend {
        /// Where the C library comes from.
        public enum Library: Sendable, Hashable {
            /// The system's libsqlcipher: linked by a build without the trait `SQLite`, else loaded at run time.
            case standard
            /// The one in a file, or of a name that the dynamic loader finds. It is kept apart from any other.
            case path(String)
        }

        private let key: CipherKey?
        private let library: Library

        /// - Parameter key: what opens the databases; `nil` for plain ones.
        public init(key: CipherKey? = nil, library: Library = .standard) {
            self.key = key
            self.library = library
        }

        public var name: String {
            (try? resolvedLibrary()).map { "SQLCipher on SQLite \($0.version)" } ?? "SQLCipher"
        }

        public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> any StorageConnection
        {
            var options = options
            // With a key there is nothing to wait for.
            if key != nil { options.isPreparedBeforeUse = false }
            while true {
                let isNew = location.isEmptyFile
                do throws(StorageError) {
                    return try openConnection(location, options: options)
                } catch  where isNew && key != nil && error.code.primary == .notADatabase {
                    // Another connection has written the new file since, with another salt, which is read when the key is
                    // set.
                }
            }
        }

        private func openConnection(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> SQLiteConnection
        {
            try SQLiteConnection(library: resolvedLibrary(), location: location, options: options) {
                connection throws(StorageError) in
                if let key { try setKey(key, connection) }
            }
        }

        public func watchForeignChanges(
            of location: StorageLocation, onSign: @escaping @Sendable () -> Void
        ) throws(StorageError) -> (any StorageWatch)? {
            try DirectoryWatch.start(for: location, onSign: onSign)
        }

        private func setKey(_ key: CipherKey, _ connection: SQLiteConnection) throws(StorageError) {
            guard let bytes = key.bytes else {
                throw StorageError(
                    .misuse, "a passphrase must not be empty, and a raw key must have 32 or 48 bytes")
            }
            try connection.useKey(bytes)
        }

        private func resolvedLibrary() throws(StorageError) -> SQLiteLibrary {
            switch library {
            case .path(let path): return try Self.load([path])
            case .standard:
                #if SQLite
                    return try Self.load(Self.standardNames)
                #else
                    return try SQLiteLibrary.linked()
                #endif
            }
        }

        /// As SQLCipher's packages name it: Debian's 3.4 and 4.6, a build from source, and Homebrew's.
        private static let standardNames = [
            "libsqlcipher.so.1", "libsqlcipher.so.0", "libsqlcipher.so", "libsqlcipher.dylib",
            "/opt/homebrew/lib/libsqlcipher.dylib", "/usr/local/lib/libsqlcipher.dylib",
        ]

        private static func load(_ names: [String]) throws(StorageError) -> SQLiteLibrary {
            var reasons: [String] = []
            for name in names {
                do {
                    return try SQLiteLibrary.loaded(name)
                } catch {
                    reasons.append(error.message)
                }
            }
            throw StorageError(
                .libraryUnavailable,
                """
                SQLCipher cannot be loaded: install libsqlcipher (Debian, Ubuntu: apt-get install libsqlcipher-dev; \
                macOS: brew install sqlcipher), or give the path of a library. The loader says: \
                \(reasons.joined(separator: "; "))
                """)
        }
    }
#endif
