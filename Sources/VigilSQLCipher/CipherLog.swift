#if SQLCipher
    import Synchronization
    import VigilSQLite
    import VigilStorage

    /// The log of SQLCipher 4.
    ///
    /// ```swift
    /// SQLCipherBackend.log = CipherLog(.debug, to: .file("/tmp/sqlcipher.log"))
    /// ```
    ///
    /// The log shows why a file does not open, such as because of a page that could not be authenticated. It
    /// contains the settings and the addresses of connections, but neither keys nor the content of databases.
    public struct CipherLog: Sendable, Hashable {
        /// The messages to log. Each level includes the levels before.
        public enum Level: String, Sendable, Hashable, CaseIterable {
            /// Pages that could not be decrypted, and failures of the cryptographic library.
            case error = "ERROR"
            /// Also ignored settings.
            case warning = "WARN"
            /// Also a key set twice.
            case info = "INFO"
            /// Also the encryption and decryption of each page, which is slow.
            case debug = "DEBUG"
            /// Also each allocation and lock.
            case trace = "TRACE"
        }

        /// The part of the library with logged messages.
        public enum Source: String, Sendable, Hashable, CaseIterable {
            /// Keys, settings and pages.
            case core = "CORE"
            /// Allocations.
            case memory = "MEMORY"
            /// Locks.
            case mutex = "MUTEX"
            /// The cryptographic library.
            case provider = "PROVIDER"
        }

        /// The place where messages are written.
        public enum Destination: Sendable, Hashable {
            /// The standard error of the process.
            case standardError
            /// The standard output of the process.
            case standardOutput
            /// The log of the system, on Apple platforms and Android.
            case device
            /// A file, created if it does not exist. The library buffers its output: the file is complete
            /// after ``SQLCipherBackend/log`` was set to `nil` and another connection was opened.
            case file(String)
        }

        /// The messages to log.
        public var level: Level
        /// The part of the library with logged messages; `nil` for all.
        public var source: Source?
        /// The place where messages are written.
        public var destination: Destination

        /// Creates the description of a log.
        public init(_ level: Level, from source: Source? = nil, to destination: Destination = .standardError)
        {
            self.level = level
            self.source = source
            self.destination = destination
        }
    }

    extension CipherLog.Destination {
        fileprivate var value: String {
            switch self {
            case .standardError: "stderr"
            case .standardOutput: "stdout"
            case .device: "device"
            case .file(let path): path.quotedSQLText
            }
        }
    }

    extension SQLiteConnection {
        /// The addresses of the libraries with a log.
        private static let librariesWithLog = Mutex<Set<UInt>>([])

        /// Directs the log of the library, one for the whole process.
        ///
        /// SQLCipher 4 writes its errors to standard error as well as returning them, so the log is off by
        /// default. Older versions have no log.
        func setLog(_ log: CipherLog?) throws(StorageError) {
            let address = UInt(bitPattern: library.api)
            guard let log else {
                _ = try? query("PRAGMA cipher_log_level = NONE")
                // Closes the file.
                let hadLog = Self.librariesWithLog.withLock { $0.remove(address) != nil }
                if hadLog { _ = try? query("PRAGMA cipher_log = OFF") }
                return
            }
            _ = Self.librariesWithLog.withLock { $0.insert(address) }
            _ = try query("PRAGMA cipher_log_source = \(log.source?.rawValue ?? "ANY")")
            let result = try answer(of: "cipher_log = \(log.destination.value)")
            guard result == nil || result == "0" else {
                throw StorageError(
                    .cannotOpen,
                    "the log of SQLCipher cannot be written: choose another destination than \(log.destination)"
                )
            }
            let level = try answer(of: "cipher_log_level = \(log.level.rawValue)")
            guard level == log.level.rawValue else {
                throw StorageError(
                    .cipherFeatureUnavailable,
                    """
                    the library (SQLCipher \(try cipherVersion() ?? "unknown")) has no log: set SQLCipherBackend.log to \
                    nil, or use SQLCipher 4
                    """)
            }
        }
    }
#endif
