import Foundation
import Vigil
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

/// The backends of this build, by name.
var testedBackends: [(name: String, backend: any StorageBackend)] {
    var backends: [(String, any StorageBackend)] = []
    #if SQLite
        backends.append(("SQLite", SQLiteBackend()))
    #endif
    #if SQLCipher
        let library = ProcessInfo.processInfo.environment["VIGIL_SQLCIPHER_LIBRARY"]
        backends.append(
            (
                "SQLCipher",
                // A raw key avoids the deliberately slow key derivation.
                SQLCipherBackend(
                    key: .raw((1...32).map { UInt8($0) }), library: library.map { .path($0) } ?? .standard)
            ))
    #endif
    return backends
}

/// Runs a test with a configuration for each backend.
func withEachBackend(
    _ configuration: Configuration = Configuration(), _ body: (Configuration) throws -> Void
) throws {
    for (_, backend) in testedBackends {
        var configuration = configuration
        configuration.backend = backend
        try body(configuration)
    }
}

/// Runs a test on an in-memory queue, with each backend.
func onEachQueue(
    _ configuration: Configuration = Configuration(), _ body: (DatabaseQueue) throws -> Void
) throws {
    try withEachBackend(configuration) { try body(DatabaseQueue(configuration: $0)) }
}

/// Runs a test on an in-memory queue, a file queue and a pool, with each backend.
func onEachWriter(
    _ configuration: Configuration = Configuration(), _ body: (any DatabaseWriter) throws -> Void
) throws {
    try withEachBackend(configuration) { configuration in
        let directory = try TemporaryDirectory()
        try body(DatabaseQueue(configuration: configuration))
        try body(DatabaseQueue(path: directory.file("queue.sqlite"), configuration: configuration))
        try body(DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration))
    }
}

func assertDatabaseError<T>(
    _ code: ResultCode, _ message: String? = nil, file: StaticString = #filePath, line: UInt = #line,
    _ body: () throws -> T
) {
    XCTAssertThrowsError(try body(), file: file, line: line) { error in
        guard let error = error as? DatabaseError else {
            return XCTFail("\(error)", file: file, line: line)
        }
        XCTAssertTrue(
            error.resultCode == code || error.extendedResultCode == code, "\(error)", file: file,
            line: line)
        if let message { XCTAssertEqual(error.message, message, file: file, line: line) }
    }
}
