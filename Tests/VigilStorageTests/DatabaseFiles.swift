import Foundation
import VigilSQLCipher
import VigilSQLite
import VigilStorage
import XCTest

/// A temporary directory that is removed when it is released.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "vigil-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}

/// The backends of this build, with names for failure messages.
struct NamedBackend {
    let name: String
    let backend: any StorageBackend

    static var all: [NamedBackend] {
        var backends: [NamedBackend] = []
        #if SQLite
            backends.append(NamedBackend(name: "SQLite", backend: SQLiteBackend()))
        #endif
        #if SQLCipher
            backends.append(
                NamedBackend(
                    name: "SQLCipher",
                    backend: SQLCipherBackend(key: .quick, library: .underTest)))
        #endif
        return backends
    }
}

#if SQLCipher
    extension CipherKey {
        /// A raw key, which avoids the deliberately slow key derivation.
        static let quick = CipherKey.raw((1...32).map { UInt8($0) })
    }

    extension SQLCipherBackend.Library {
        /// The library that the environment variable `VIGIL_SQLCIPHER_LIBRARY` names, or the system's.
        static var underTest: Self {
            ProcessInfo.processInfo.environment["VIGIL_SQLCIPHER_LIBRARY"].map { .path($0) } ?? .standard
        }
    }
#endif

extension StorageConnection {
    /// Runs all statements of `sql`, and returns the rows of the last.
    @discardableResult
    func run(_ sql: String, _ values: [StorageValue] = []) throws -> [[StorageValue]] {
        var rows: [[StorageValue]] = []
        var offset = 0
        while let statement = try next(sql, &offset) {
            defer { statement.finalize() }
            for (index, value) in values.enumerated() where index < statement.parameterCount {
                try statement.bind(value, at: index + 1)
            }
            rows = []
            while try statement.step() {
                rows.append((0..<statement.row.count).map { statement.row[$0].value })
            }
        }
        return rows
    }

    private func next(_ sql: String, _ offset: inout Int) throws -> (any StorageStatement)? {
        while offset < sql.utf8.count {
            let preparation = try prepare(sql, fromUTF8Offset: offset, isCached: false)
            offset = preparation.endUTF8Offset
            if let statement = preparation.statement { return statement }
        }
        return nil
    }

    func prepared(_ sql: String) throws -> any StorageStatement {
        try XCTUnwrap(prepare(sql, fromUTF8Offset: 0, isCached: false).statement)
    }
}
