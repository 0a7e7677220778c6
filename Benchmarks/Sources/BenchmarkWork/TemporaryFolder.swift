import Foundation

/// A folder for the databases of a round. Deallocation removes it.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        path = NSTemporaryDirectory() + "vigil-benchmark-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public var databasePath: String { path + "/benchmark.sqlite" }
}
