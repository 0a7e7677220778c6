import Foundation
import Synchronization
import Vigil
import XCTest

#if canImport(Observation)
    import Observation
#endif

/// Runs a test on the main actor, on an in-memory queue and on a pool, with each backend.
func onEachWriterOnMainActor(_ body: @MainActor (any DatabaseWriter) throws -> Void) throws {
    for (_, backend) in testedBackends {
        var configuration = Configuration()
        configuration.backend = backend
        let directory = try TemporaryDirectory()
        let writers: [any DatabaseWriter] = [
            try DatabaseQueue(configuration: configuration),
            try DatabasePool(path: directory.file("pool.sqlite"), configuration: configuration),
        ]
        for writer in writers {
            try writer.write { db in try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
            try MainActor.assumeIsolated { try body(writer) }
        }
    }
}

/// Waits until the properties of a value satisfy a condition. The main queue keeps running.
@MainActor
func waitUntil<Value>(
    _ live: LiveValue<Value>, line: UInt = #line, _ isDone: @MainActor (LiveValue<Value>) -> Bool
) {
    #if canImport(Observation)
        while true {
            let changed = XCTestExpectation(description: "changed")
            let done = withObservationTracking {
                isDone(live)
            } onChange: {
                changed.fulfill()
            }
            if done { return }
            guard XCTWaiter().wait(for: [changed], timeout: testTimeout) == .completed else {
                return XCTFail("not yet", line: line)
            }
        }
    #else
        let deadline = Date(timeIntervalSinceNow: testTimeout)
        while !isDone(live), Date() < deadline { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01)) }
        XCTAssertTrue(isDone(live), line: line)
    #endif
}

final class Flag: Sendable {
    let value: Mutex<Bool>

    init(_ value: Bool) {
        self.value = Mutex(value)
    }
}
