#if SQLCipher
    import CVigilSQLite
    import Synchronization
    import VigilSQLite
    public import VigilStorage

    #if !SQLite
        // Links libsqlcipher. A build with libsqlite3 loads it at run time instead.
        import CVigilSQLCipherLibrary
    #endif

    /// The backend for encrypted databases, on SQLCipher.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.backend = SQLCipherBackend(key: .passphrase(secret))
    /// let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    /// ```
    ///
    /// The key and the settings are applied before the file is first read. Opening throws
    /// `DatabaseError.WRONG_KEY` if they do not open the file, `DatabaseError.NOT_ENCRYPTED` if the file is
    /// not encrypted, `DatabaseError.SQLITE_NOTADB` if the file is encrypted and there is no key, and
    /// `DatabaseError.ENCRYPTION_UNAVAILABLE` if there is a key and the library does not encrypt: a database
    /// is never silently written unencrypted.
    ///
    /// The settings also apply to attached databases, and to the copies of `VACUUM INTO`. SQLCipher has only
    /// defaults of the process for these. The backend replaces them while the statement runs, and while no
    /// other connection of a backend sets a key. A program that uses the C library as well must not set keys
    /// at the same time.
    ///
    /// Errors are thrown, so SQLCipher 4 writes no messages to standard error. To see them, set ``log``.
    public struct SQLCipherBackend: StorageBackend {
        /// The origin of the C library.
        public enum Library: Sendable, Hashable {
            /// The libsqlcipher of the system: linked without the trait `SQLite`, else loaded at run time.
            case standard
            /// A library at a path, or with a name known to the dynamic loader, isolated from others.
            case path(String)
        }

        private let keySource: KeySource
        private let settings: CipherSettings
        /// The license of a commercial library. It is as secret as the key.
        private let license: String?
        private let library: Library
        private static let currentLog = Mutex<CipherLog?>(nil)
        private let changedKeys = ChangedKeys()

        /// Creates a backend.
        ///
        /// - Parameters:
        ///   - key: the key of the databases; `nil` for unencrypted databases, and if
        ///     `Configuration.prepareDatabase(_:)` sets a passphrase.
        ///   - settings: the settings of the encryption, if they are not the library's.
        ///   - license: the license code of a commercial library. Each connection gives it to the library
        ///     before it sets the key. The community edition ignores it. It never appears in descriptions or
        ///     errors. Vigil is tested with the community edition only.
        ///   - library: the library to use. It is loaded when the first database opens.
        public init(
            key: CipherKey? = nil, settings: CipherSettings = CipherSettings(), license: String? = nil,
            library: Library = .standard
        ) {
            self.init(
                source: key.map { .constant($0) } ?? .none, settings: settings, license: license,
                library: library)
        }

        /// Creates a backend that asks for the key each time it opens a connection, and does not keep it in
        /// memory between.
        ///
        /// ```swift
        /// configuration.backend = SQLCipherBackend { try keychain.databaseKey() }
        /// ```
        ///
        /// A pool opens connections at any time. Once the key of a database has been changed, the new key
        /// opens its later connections, and the closure is not called unless the file is replaced.
        ///
        /// - Parameters:
        ///   - settings: the settings of the encryption, if they are not the library's.
        ///   - license: the license code of a commercial library. See
        ///     ``init(key:settings:license:library:)``.
        ///   - library: the library to use. It is loaded when the first database opens.
        ///   - key: a closure for the key. It is called on any thread. If it throws, opening fails.
        public init(
            settings: CipherSettings = CipherSettings(), license: String? = nil,
            library: Library = .standard, key: @escaping @Sendable () throws -> CipherKey
        ) {
            self.init(source: .closure(key), settings: settings, license: license, library: library)
        }

        private init(source: KeySource, settings: CipherSettings, license: String?, library: Library) {
            keySource = source
            self.settings = settings
            self.license = license
            self.library = library
        }

        /// Returns a backend with the same key and library, and other settings. Changed keys are not shared.
        package func with(settings: CipherSettings) -> SQLCipherBackend {
            SQLCipherBackend(source: keySource, settings: settings, license: license, library: library)
        }

        /// The log of SQLCipher 4, for all connections of the process; `nil`, the default, for none.
        ///
        /// ```swift
        /// SQLCipherBackend.log = CipherLog(.warning)
        /// ```
        ///
        /// The library has one log per process. It changes when the next connection with a key is opened, so
        /// set this property before you open the database. Opening throws
        /// `DatabaseError.CIPHER_FEATURE_UNAVAILABLE` if the library has no log, as before SQLCipher 4.
        public static var log: CipherLog? {
            get { currentLog.withLock { $0 } }
            set { currentLog.withLock { $0 = newValue } }
        }

        /// The name, such as `SQLCipher on SQLite 3.39.4`; `SQLCipher` if the library cannot be loaded.
        public var name: String {
            (try? resolvedLibrary()).map { "SQLCipher on SQLite \($0.version)" } ?? "SQLCipher"
        }

        /// Opens a connection, and applies the key.
        ///
        /// - Throws: `StorageError.Code.wrongKey`, `StorageError.Code.notADatabase`,
        ///   `StorageError.Code.encryptionUnavailable`, `StorageError.Code.libraryUnavailable`, or another
        ///   error of the library.
        public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> any StorageConnection
        {
            var options = options
            // With a key, the database can be opened at once. If it is new, its file gets the key of
            // databases that the preparation attaches.
            if !keySource.isNone { options.isPreparedBeforeUse = false }
            var rejectedKey: CipherKey?
            while true {
                let isNew = location.isEmptyFile
                // A new file is another database.
                if isNew { changedKeys[location] = nil }
                do throws(StorageError) {
                    return try openConnection(location, options: options)
                } catch  where isNew && !keySource.isNone && error.code.primary == .notADatabase {
                    // Another connection has created the file since, with its own salt. Try again: the salt
                    // is read when the key is set.
                } catch  where error.code == .wrongKey && changedKeys[location] != nil {
                    // The file was replaced after its key was changed, perhaps not for long.
                    rejectedKey = changedKeys[location]
                    changedKeys[location] = nil
                } catch {
                    if let rejectedKey { changedKeys[location] = rejectedKey }
                    throw error
                }
            }
        }

        private func openConnection(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> SQLiteConnection
        {
            let context = CipherContext(
                settings: settings, location: location, changedKeys: keySource.isNone ? nil : changedKeys)
            let keySource = keySource
            let license = license
            let changedKeys = changedKeys
            return try SQLiteConnection(library: resolvedLibrary(), location: location, options: options) {
                connection throws(StorageError) in
                connection.encryption.provider = context
                if let license { try connection.useLicense(license) }
                var key = changedKeys[location]
                if key == nil { key = try keySource.key() }
                guard let key else { return }
                try key.withBytes { bytes throws(StorageError) in try connection.setKey(bytes) }
            }
        }

        /// Watches the files of the database for changes by other connections and processes.
        public func watchForeignChanges(
            of location: StorageLocation, onHint: @escaping @Sendable () -> Void
        ) throws(StorageError) -> (any StorageWatch)? {
            try DirectoryWatch.start(for: location, onHint: onHint)
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

        /// The library's names in SQLCipher's packages: Debian's 3.4 and 4.6, a source build, and Homebrew's.
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
                macOS: brew install sqlcipher), or give the path of a library. The loader reported: \
                \(reasons.joined(separator: "; "))
                """)
        }
    }

    extension SQLCipherBackend: CustomStringConvertible, CustomReflectable {
        /// The name of the backend.
        public var description: String { name }

        /// A mirror without the key.
        public var customMirror: Mirror {
            Mirror(self, children: ["settings": settings, "library": library])
        }
    }
#endif
