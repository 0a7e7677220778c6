import Foundation

/// A folder for the databases of a round. Deallocation removes it.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// Creates a folder with a unique name.
    public init() throws {
        path = NSTemporaryDirectory() + "vigil-benchmark-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of the database of the round.
    public var databasePath: String { path + "/benchmark.sqlite" }
}
