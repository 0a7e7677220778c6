#if SQLCipher
    import VigilStorage

    /// The settings of the encryption, if a database was created with others than the library's.
    ///
    /// ```swift
    /// // A file that SQLCipher 3 created, opened with SQLCipher 4:
    /// let backend = SQLCipherBackend(
    ///     key: .passphrase(secret), settings: CipherSettings(compatibility: 3))
    /// ```
    ///
    /// Settings are applied right after the key, on every connection. They are not stored in the file: each
    /// program that opens it needs the same ones. They also apply to attached databases. With `nil`, the
    /// library decides. An unsupported setting makes opening throw
    /// `StorageError.Code.cipherFeatureUnavailable`.
    public struct CipherSettings: Sendable, Hashable {
        /// A hash function, to authenticate pages or derive keys.
        public enum Algorithm: String, Sendable, Hashable, CaseIterable {
            /// The algorithm of SQLCipher 1 to 3.
            case sha1 = "SHA1"
            /// SHA-256.
            case sha256 = "SHA256"
            /// The algorithm of SQLCipher 4.
            case sha512 = "SHA512"
        }

        /// The plain part of a file.
        ///
        /// iOS recognizes a database in a shared container by its header. It ends suspended apps with a lock
        /// on other files. The salt is not stored in such a file, so the program must store it.
        public struct PlaintextHeader: Sendable, Hashable {
            /// The number of plain bytes: 32, as recommended, or another multiple of 16.
            public var size: Int
            /// The 16 bytes of the salt; `nil` if the key is a raw key with a salt.
            public var salt: [UInt8]?

            /// Creates the description of a plain header.
            public init(size: Int = 32, salt: [UInt8]?) {
                self.size = size
                self.salt = salt
            }
        }

        /// The major version of SQLCipher, 1 to 4, with the defaults for all other settings.
        public var compatibility: Int?
        /// The size of a page in bytes: a power of two from 512 to 65536.
        public var pageSize: Int?
        /// The number of iterations to derive the key from a passphrase.
        public var kdfIterations: Int?
        /// The algorithm to authenticate pages.
        public var hmacAlgorithm: Algorithm?
        /// The algorithm to derive the key from a passphrase.
        public var kdfAlgorithm: Algorithm?
        /// The plain part of the file.
        public var plaintextHeader: PlaintextHeader?
        /// Whether the library locks memory and overwrites it when freed, in the whole process. It is slow.
        public var securesMemory: Bool?

        /// Creates settings. The library chooses those that are `nil`.
        public init(
            compatibility: Int? = nil, pageSize: Int? = nil, kdfIterations: Int? = nil,
            hmacAlgorithm: Algorithm? = nil, kdfAlgorithm: Algorithm? = nil,
            plaintextHeader: PlaintextHeader? = nil, securesMemory: Bool? = nil
        ) {
            self.compatibility = compatibility
            self.pageSize = pageSize
            self.kdfIterations = kdfIterations
            self.hmacAlgorithm = hmacAlgorithm
            self.kdfAlgorithm = kdfAlgorithm
            self.plaintextHeader = plaintextHeader
            self.securesMemory = securesMemory
        }
    }

    extension CipherSettings {
        struct Command {
            var pragma: String
            var value: String
            /// The value returned by the pragma afterwards, if any.
            var answer: String?

            init(_ pragma: String, _ value: String, answer: String?) {
                self.pragma = pragma
                self.value = value
                self.answer = answer
            }

            init(_ pragma: String, _ number: Int) {
                self.init(pragma, String(number), answer: String(number))
            }
        }

        /// The major version of a library, from the answer to `PRAGMA cipher_version`.
        static func majorVersion(of cipherVersion: String) -> Int {
            Int(cipherVersion.prefix { $0.isNumber }) ?? 0
        }

        var areDefault: Bool { self == CipherSettings() }

        /// Returns the commands to apply the settings, in order.
        ///
        /// - Throws: `StorageError.Code.misuse` for a value that is never valid,
        ///   `StorageError.Code.cipherFeatureUnavailable` for one that the library does not support.
        func commands(cipherVersion: String) throws(StorageError) -> [Command] {
            try validate()
            let isOld = Self.majorVersion(of: cipherVersion) < 4
            var commands = try compatibilityCommands(isOld, cipherVersion)
            if let pageSize { commands.append(Command("cipher_page_size", pageSize)) }
            if let kdfIterations { commands.append(Command("kdf_iter", kdfIterations)) }
            for (pragma, value, algorithm, name) in [
                ("cipher_hmac_algorithm", "HMAC_", hmacAlgorithm, "hmacAlgorithm"),
                ("cipher_kdf_algorithm", "PBKDF2_HMAC_", kdfAlgorithm, "kdfAlgorithm"),
            ] {
                guard let algorithm else { continue }
                // Older versions have only this one.
                if isOld, algorithm == .sha1 { continue }
                if isOld { throw Self.unavailable("\(name) .\(algorithm)", cipherVersion) }
                let text = value + algorithm.rawValue
                commands.append(Command(pragma, text, answer: text))
            }
            if let plaintextHeader {
                if isOld { throw Self.unavailable("plaintextHeader", cipherVersion) }
                commands.append(Command("cipher_plaintext_header_size", plaintextHeader.size))
                if let salt = plaintextHeader.salt {
                    commands.append(Command("cipher_salt", "\"x'\(salt.hexDigits)'\"", answer: nil))
                }
            }
            if securesMemory == true, isOld { throw Self.unavailable("securesMemory", cipherVersion) }
            return commands
        }

        private func compatibilityCommands(_ isOld: Bool, _ cipherVersion: String) throws(StorageError)
            -> [Command]
        {
            guard let compatibility else { return [] }
            guard isOld else { return [Command("cipher_compatibility", String(compatibility), answer: nil)] }
            switch compatibility {
            case 1: return [Command("cipher_use_hmac", "OFF", answer: "0"), Command("kdf_iter", 4000)]
            case 2: return [Command("kdf_iter", 4000)]
            case 3: return []
            default: throw Self.unavailable("compatibility \(compatibility)", cipherVersion)
            }
        }

        private func validate() throws(StorageError) {
            if let compatibility, !(1...4).contains(compatibility) {
                throw StorageError(.misuse, "the cipher setting compatibility must be 1, 2, 3 or 4")
            }
            if let pageSize, !(512...65536).contains(pageSize) || pageSize & (pageSize - 1) != 0 {
                throw StorageError(
                    .misuse, "the cipher setting pageSize must be a power of two from 512 to 65536")
            }
            if let kdfIterations, !(1...Int(Int32.max)).contains(kdfIterations) {
                throw StorageError(.misuse, "the cipher setting kdfIterations must be positive")
            }
            guard let plaintextHeader else { return }
            let size = plaintextHeader.size
            if size < 16 || size % 16 != 0 || size >= (pageSize ?? 512) {
                throw StorageError(
                    .misuse,
                    "the size of a plaintext header must be a multiple of 16 and less than a page: use 32")
            }
            if let salt = plaintextHeader.salt, salt.count != 16 {
                throw StorageError(.misuse, "the salt of a database must have 16 bytes")
            }
        }

        private static func unavailable(_ setting: String, _ cipherVersion: String) -> StorageError {
            StorageError(
                .cipherFeatureUnavailable,
                "the cipher setting \(setting) needs SQLCipher 4 or later, and the library is \(cipherVersion)"
            )
        }
    }
#endif
