#if SQLCipher
    import VigilStorage

    /// The key of an encrypted database.
    ///
    /// ```swift
    /// let backend = SQLCipherBackend(key: .passphrase(secret))
    /// ```
    ///
    /// A key never appears in descriptions, dumps or error messages.
    public struct CipherKey: Sendable, Hashable {
        enum Storage: Hashable {
            /// Different Unicode normal forms of one text are different passphrases.
            case passphrase(ExactString)
            case raw([UInt8])
        }

        let storage: Storage

        /// Returns a key that SQLCipher derives from a passphrase (PBKDF2).
        ///
        /// The passphrase is used byte by byte, in UTF-8: different Unicode normal forms of one text are different
        /// passphrases. It must not be empty.
        public static func passphrase(_ passphrase: String) -> CipherKey {
            CipherKey(storage: .passphrase(ExactString(passphrase)))
        }

        /// Returns a raw key.
        ///
        /// - Parameter bytes: 32 bytes, or 48: the key and the 16 bytes of the database's salt. Opening a
        ///   database with any other number throws.
        public static func raw(_ bytes: [UInt8]) -> CipherKey {
            CipherKey(storage: .raw(bytes))
        }

        /// The bytes to pass to SQLCipher: the passphrase, or `x'…'` for a raw key; `nil` for an empty
        /// passphrase, and for a raw key of an invalid length.
        var bytes: [UInt8]? {
            switch storage {
            case .passphrase(let passphrase):
                return passphrase.string.isEmpty ? nil : Array(passphrase.string.utf8)
            case .raw(let bytes):
                guard bytes.count == 32 || bytes.count == 48 else { return nil }
                let digits = Array("0123456789abcdef".utf8)
                let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
                return Array("x'".utf8) + hex + Array("'".utf8)
            }
        }
    }

    extension CipherKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// A fixed text without the key.
        public var description: String { "CipherKey(…)" }
        /// A fixed text without the key.
        public var debugDescription: String { description }
        /// A mirror without children, so that dumps do not contain the key.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
