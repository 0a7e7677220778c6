import Foundation
package import Vigil

/// The backends of this build, by name.
package var testedBackends: [(name: String, backend: any StorageBackend)] {
    var backends: [(String, any StorageBackend)] = []
    #if SQLite
        backends.append(("SQLite", SQLiteBackend()))
    #endif
    #if SQLCipher
        backends.append(("SQLCipher", SQLCipherBackend(key: .quick, library: .underTest)))
    #endif
    return backends
}

#if SQLCipher
    extension CipherKey {
        /// A raw key, which avoids the deliberately slow key derivation.
        package static let quick = CipherKey.raw((1...32).map { UInt8($0) })
    }

    extension SQLCipherBackend.Library {
        /// The library that the environment variable `VIGIL_SQLCIPHER_LIBRARY` names, or the system's.
        package static var underTest: Self {
            ProcessInfo.processInfo.environment["VIGIL_SQLCIPHER_LIBRARY"].map { .path($0) } ?? .standard
        }
    }
#endif
