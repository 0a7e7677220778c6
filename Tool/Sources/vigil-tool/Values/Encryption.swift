import Vigil

/// The encryption of a file, as a program receives it.
struct Encryption: Sendable {
    /// A passphrase, or the 32 or 48 bytes of a raw key in hexadecimal, in SQLCipher's notation `x'…'`; `nil`
    /// for an unencrypted database.
    var key: String?
    /// The path of libsqlcipher; `nil` for the system's.
    var cipherLibrary: String?
    var compatibility: Int?
    var pageSize: Int?
    var kdfIterations: Int?

    init(key: String?, cipherLibrary: String?) {
        self.key = key
        self.cipherLibrary = cipherLibrary
    }

    /// Returns the backend; `nil` for the default one.
    ///
    /// - Throws: `Failure` if there is a key, and this build does not support encrypted databases.
    func backend() throws -> (any StorageBackend)? {
        #if SQLCipher
            let library = cipherLibrary.map { SQLCipherBackend.Library.path($0) } ?? .standard
            if let key {
                let settings = CipherSettings(
                    compatibility: compatibility, pageSize: pageSize, kdfIterations: kdfIterations)
                return SQLCipherBackend(key: cipherKey(key), settings: settings, library: library)
            }
            #if !SQLite
                return SQLCipherBackend(library: library)
            #else
                return nil
            #endif
        #else
            if key != nil { throw Self.missing }
            return nil
        #endif
    }
}

/// The functions of encrypted databases, for builds with or without them.
extension Encryption {
    static var isAvailable: Bool {
        #if SQLCipher
            true
        #else
            false
        #endif
    }

    static func changeKey(of dbQueue: DatabaseQueue, to key: String) throws {
        #if SQLCipher
            try dbQueue.changeKey(to: cipherKey(key))
        #else
            throw missing
        #endif
    }

    /// Returns the version of SQLCipher and the cryptographic library; `nil` without encryption.
    static func description(of db: Database) throws -> String? {
        #if SQLCipher
            guard let version = db.cipherVersion else { return nil }
            return try db.cipherProvider.map { "SQLCipher \(version), \($0)" } ?? "SQLCipher \(version)"
        #else
            return nil
        #endif
    }

    /// Returns a line for each damaged page of an encrypted database; `nil` if the library cannot check them.
    static func damagedPages(_ db: Database) throws -> [String]? {
        #if SQLCipher
            do {
                return try db.cipherIntegrityCheck()
            } catch DatabaseError.CIPHER_FEATURE_UNAVAILABLE {
                return nil
            }
        #else
            throw missing
        #endif
    }

    static let missing = Failure(
        """
        this build of vigil does not open encrypted databases: \
        build it with `swift build --package-path Tool --traits SQLite,SQLCipher`
        """)

    /// Throws an error if this build does not support encrypted databases.
    static func require() throws(Failure) {
        guard isAvailable else { throw missing }
    }
}

#if SQLCipher
    private func cipherKey(_ text: String) -> CipherKey {
        guard text.lowercased().hasPrefix("x'"), text.hasSuffix("'"), text.utf8.count >= 3 else {
            return .passphrase(text)
        }
        let digits = Array(text.utf8.dropFirst(2).dropLast())
        guard digits.count == 64 || digits.count == 96 else { return .passphrase(text) }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place -> UInt8? in
            let pair = String(decoding: digits[place..<place + 2], as: UTF8.self)
            return pair.allSatisfy(\.isHexDigit) ? UInt8(pair, radix: 16) : nil
        }
        return bytes.count * 2 == digits.count ? .raw(bytes) : .passphrase(text)
    }
#endif
