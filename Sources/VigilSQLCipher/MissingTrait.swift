#if !SQLCipher
    public import VigilStorage

    // The declarations of a build without the trait SQLCipher: their messages name it.

    /// The backend for encrypted databases.
    @available(*, unavailable, message: "encrypted databases need the trait SQLCipher of the package Vigil")
    public struct SQLCipherBackend: StorageBackend {
        /// The origin of the C library.
        public enum Library: Sendable {
            /// The libsqlcipher of the system.
            case standard
            /// A library at a path.
            case path(String)
        }

        /// Creates a backend.
        public init(
            key: CipherKey? = nil, settings: CipherSettings = CipherSettings(), license: String? = nil,
            library: Library = .standard
        ) {}

        /// Creates a backend with a closure for the key.
        public init(
            settings: CipherSettings = CipherSettings(), license: String? = nil,
            library: Library = .standard, key: @escaping @Sendable () throws -> CipherKey
        ) {}

        /// The name of the library.
        public var name: String { "SQLCipher" }

        /// Throws an error.
        public func open(_ location: StorageLocation, options: StorageOptions) throws(StorageError)
            -> any StorageConnection
        {
            throw StorageError(.encryptionUnavailable, "this build does not open encrypted databases")
        }

        /// Returns `nil`.
        public func watchForeignChanges(
            of location: StorageLocation, onHint: @escaping @Sendable () -> Void
        ) throws(StorageError) -> (any StorageWatch)? { nil }
    }

    /// The key of an encrypted database.
    @available(*, unavailable, message: "encrypted databases need the trait SQLCipher of the package Vigil")
    public struct CipherKey: Sendable {
        /// Returns a key derived from a passphrase.
        public static func passphrase(_ passphrase: String) -> CipherKey { CipherKey() }

        /// Returns a key derived from the bytes of a passphrase.
        public static func passphrase(bytes: [UInt8]) -> CipherKey { CipherKey() }

        /// Returns a key of 32 bytes.
        public static func raw(_ bytes: [UInt8], salt: [UInt8]? = nil) -> CipherKey { CipherKey() }
    }

    /// The settings of the encryption.
    @available(*, unavailable, message: "encrypted databases need the trait SQLCipher of the package Vigil")
    public struct CipherSettings: Sendable {
        /// Creates the settings of the library.
        public init() {}
    }

    /// The messages of the library.
    @available(*, unavailable, message: "encrypted databases need the trait SQLCipher of the package Vigil")
    public struct CipherLog: Sendable {}
#endif
