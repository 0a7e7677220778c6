import Vigil
import XCTest

extension XCTestCase {
    /// Runs a test on an in-memory queue and on a file queue, with each backend. The second backend, whose
    /// databases in memory are not encrypted, runs only on a file. A build with one library runs both.
    func onEachQueue(
        _ configuration: Configuration = Configuration(), schema: String = "",
        _ body: (DatabaseQueue) throws -> Void
    ) throws {
        for (number, (name, backend)) in testedBackends.enumerated() {
            var configuration = configuration
            configuration.backend = backend
            let directory = try TemporaryDirectory()
            var queues = [
                try DatabaseQueue(path: directory.file("database.sqlite"), configuration: configuration)
            ]
            if number == 0 { queues.insert(try DatabaseQueue(configuration: configuration), at: 0) }
            for dbQueue in queues {
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
