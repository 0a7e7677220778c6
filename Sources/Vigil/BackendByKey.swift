import Foundation
import VigilEngine
package import VigilStorage

#if SQLCipher
    import VigilSQLCipher
#endif

/// Returns the backend for a key that the program receives as text.
///
/// - Parameters:
///   - key: a passphrase, or the 32 or 48 bytes of a raw key in hexadecimal, in SQLCipher's notation `x'…'`;
///     `nil` for a database that is not encrypted.
///   - cipherLibrary: the path of libsqlcipher; `nil` for that of the system.
/// - Returns: the backend; `nil` for the default one.
/// - Throws: `DatabaseError` if there is a key, and this build does not support encrypted databases.
package func backend(key: String?, cipherLibrary: String?) throws -> (any StorageBackend)? {
    #if SQLCipher
        let library = cipherLibrary.map { SQLCipherBackend.Library.path($0) } ?? .standard
        if let key { return SQLCipherBackend(key: cipherKey(key), library: library) }
        #if !SQLite
            return SQLCipherBackend(library: library)
        #else
            return nil
        #endif
    #else
        guard key != nil else { return nil }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                this build does not open encrypted databases: build it with the trait SQLCipher \
                (swift build -c release --product vigil --traits SQLite,SQLCipher)
                """)
    #endif
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
