import Vigil
import XCTest

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
