#if SQLCipher
    /// What opens an encrypted database.
    ///
    /// A key never appears in descriptions, dumps and error messages.
    public struct CipherKey: Sendable, Hashable {
        enum Storage: Hashable {
            case passphrase(String)
            case raw([UInt8])
        }

        let storage: Storage

        /// A passphrase, from which SQLCipher derives the key (PBKDF2). Text is taken as it is: two spellings of
        /// the same letter (Unicode normal forms) are two passphrases.
        public static func passphrase(_ passphrase: String) -> CipherKey {
            CipherKey(storage: .passphrase(passphrase))
        }

        /// A key of 32 bytes, or of 48: the key and the 16 bytes of the database's salt.
        public static func raw(_ bytes: [UInt8]) -> CipherKey {
            CipherKey(storage: .raw(bytes))
        }

        /// The bytes that SQLCipher takes: a passphrase, or `x'…'` for a raw key.
        ///
        /// Returns `nil` for an empty passphrase, and for a raw key of another length.
        var bytes: [UInt8]? {
            switch storage {
            case .passphrase(let passphrase):
                return passphrase.isEmpty ? nil : Array(passphrase.utf8)
            case .raw(let bytes):
                guard bytes.count == 32 || bytes.count == 48 else { return nil }
                let digits = Array("0123456789abcdef".utf8)
                let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
                return Array("x'".utf8) + hex + Array("'".utf8)
            }
        }
    }

    extension CipherKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        public var description: String { "CipherKey(…)" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
