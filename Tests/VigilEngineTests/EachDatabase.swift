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

extension XCTestCase {
    /// Runs a test on an in-memory queue and on a file queue, with each backend.
    func onEachQueue(
        _ configuration: Configuration = Configuration(), schema: String = "",
        _ body: (DatabaseQueue) throws -> Void
    ) throws {
        for (name, backend) in testedBackends {
            var configuration = configuration
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            for dbQueue in [
                try DatabaseQueue(configuration: configuration),
                try DatabaseQueue(path: directory.file("database.sqlite"), configuration: configuration),
            ] {
                try dbQueue.writeWithoutTransaction { db in try db.execute(sql: schema) }
                let failures = testRun?.totalFailureCount ?? 0
                try body(dbQueue)
                if (testRun?.totalFailureCount ?? 0) > failures {
                    XCTFail("on \(name), \(dbQueue.path.isEmpty ? "in memory" : "on a file")")
                }
            }
        }
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
