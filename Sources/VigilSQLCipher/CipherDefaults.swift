#if SQLCipher
    import CVigilSQLite
    import Synchronization
    import VigilSQLite
    import VigilStorage

    /// SQLCipher's settings of the process, as far as this module changes them: the log, and the defaults for
    /// each database that is attached or given a key.
    enum CipherDefaults {
        fileprivate struct Value: Sendable {
            let pragma: String
            let value: String
        }

        /// The original defaults of libraries with replaced ones, by the address of the library.
        fileprivate static let replaced = Mutex<[UInt: [Value]]>([:])

        /// Runs `body` while no other thread changes the settings of the process.
        static func withLock<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
            vigil_lock_cipher_settings()
            defer { vigil_unlock_cipher_settings() }
            return try body()
        }

        /// Begins a period in which the library uses `settings`, and its own defaults for those that are
        /// `nil`. The process sets no key and attaches no database in any other way until the period ends.
        static func use(_ settings: CipherSettings, of library: SQLiteLibrary) throws(StorageError)
            -> CipherPeriod
        {
            vigil_lock_cipher_settings()
            do throws(StorageError) {
                return try CipherPeriod(settings, of: library)
            } catch {
                vigil_unlock_cipher_settings()
                throw error
            }
        }
    }

    /// A period with replaced defaults of a library. It holds the lock of the settings.
    final class CipherPeriod: AttachmentPeriod {
        private let address: UInt
        /// The connection used to change the defaults; `nil` if they are not changed.
        private let connection: SQLiteConnection?
        private let previous: [CipherDefaults.Value]
        /// Whether this period replaced the library's own defaults.
        private let isOutermost: Bool
        private var hasEnded = false

        fileprivate init(_ settings: CipherSettings, of library: SQLiteLibrary) throws(StorageError) {
            address = UInt(bitPattern: library.api)
            let address = address
            let original = CipherDefaults.replaced.withLock { $0[address] }
            isOutermost = original == nil
            guard original != nil || !settings.areDefault else {
                (connection, previous) = (nil, [])
                return
            }
            let connection = try SQLiteConnection(
                library: library, location: .memory(name: nil), options: StorageOptions())
            guard let version = try connection.cipherVersion() else {
                (self.connection, previous) = (nil, [])
                return
            }
            let commands = try settings.commands(cipherVersion: version)
            self.connection = connection
            let previous = try connection.cipherDefaults()
            self.previous = previous
            if isOutermost { CipherDefaults.replaced.withLock { $0[address] = previous } }
            do throws(StorageError) {
                if let original { try connection.setCipherDefaults(original) }
                try connection.applyAsDefaults(commands, cipherVersion: version)
            } catch {
                restore()
                throw error
            }
        }

        func end() {
            guard !hasEnded else { return }
            hasEnded = true
            restore()
            vigil_unlock_cipher_settings()
        }

        private func restore() {
            guard let connection else { return }
            try? connection.setCipherDefaults(previous)
            if isOutermost { _ = CipherDefaults.replaced.withLock { $0.removeValue(forKey: address) } }
        }
    }

    extension CipherContext: ConnectionEncryption {
        func beginAttachment(to connection: SQLiteConnection) throws(StorageError)
            -> any AttachmentPeriod
        {
            try CipherDefaults.use(settings, of: connection.library)
        }
    }

    extension SQLiteConnection {
        /// Returns the defaults of the library, without unsupported ones.
        fileprivate func cipherDefaults() throws(StorageError) -> [CipherDefaults.Value] {
            var values: [CipherDefaults.Value] = []
            for name in [
                "kdf_iter", "page_size", "use_hmac", "plaintext_header_size", "hmac_algorithm",
                "kdf_algorithm",
            ] {
                let pragma = "cipher_default_" + name
                guard let value = try answer(of: pragma) else { continue }
                values.append(CipherDefaults.Value(pragma: pragma, value: value))
            }
            return values
        }

        fileprivate func setCipherDefaults(_ values: [CipherDefaults.Value]) throws(StorageError) {
            for value in values { _ = try query("PRAGMA \(value.pragma) = \(value.value)") }
        }

        fileprivate func applyAsDefaults(_ commands: [CipherSettings.Command], cipherVersion: String)
            throws(StorageError)
        {
            for command in commands {
                // A salt belongs to one file.
                guard let pragma = command.defaultPragma else { continue }
                _ = try query("PRAGMA \(pragma) = \(command.value)")
                if let expected = command.answer, try answer(of: pragma) != expected {
                    throw StorageError(
                        .cipherFeatureUnavailable,
                        """
                        the library (SQLCipher \(cipherVersion)) does not support the cipher setting \
                        \(command.pragma) = \(command.value) for attached databases
                        """)
                }
            }
        }
    }

    extension CipherSettings.Command {
        /// The pragma for the default of the process; `nil` for settings without one.
        fileprivate var defaultPragma: String? {
            if pragma == "cipher_salt" { return nil }
            return "cipher_default_" + (pragma.hasPrefix("cipher_") ? String(pragma.dropFirst(7)) : pragma)
        }
    }
#endif
