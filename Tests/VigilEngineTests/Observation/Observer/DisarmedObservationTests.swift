import Dispatch
import Synchronization
import Vigil
import XCTest

/// Commits cost an observation nothing while it cannot deliver values: it is notified once, and fetches when
/// it can deliver again.
final class DisarmedObservationTests: XCTestCase {
    private func onEachWriter(_ body: (any DatabaseWriter) throws -> Void) throws {
        try onEachQueue(schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)") { try body($0) }
        try onEachPool { pool, _ in try body(pool) }
    }

    private let count = "SELECT COUNT(*) FROM t"

    private func observations(_ changes: Values<ObservationTrigger>) -> [ValueObservation<
        ValueReducers.Trace<ValueReducers.Fetch<Int>>
    >] {
        let count = count
        let fetch: @Sendable (Database) throws -> Int = { try Int.fetchOne($0, sql: count) ?? -1 }
        return [
            ValueObservation.tracking(fetch), .trackingConstantRegion(fetch),
            .tracking(region: DatabaseRegion(table: "t"), fetch: fetch),
        ].map { $0.handleEvents(didTrigger: { changes.append($0) }) }
    }

    func testADisarmedObservationIsNotifiedOnceAndFetchesTheLastState() throws {
        try onEachWriter { writer in
            let changes = Values<ObservationTrigger>()
            for observation in observations(changes) {
                try writer.write { db in try db.execute(sql: "DELETE FROM t") }
                let before = changes.all.count
                let pause = ObservationPause()
                let (values, first, last) = (Values<Int>(), Gate(), Gate())
                let queue = DispatchQueue(label: "callbacks")
                let cancellable = observation.pausable(by: pause)
                    .start(
                        in: writer, scheduling: .async(onQueue: queue), onError: { XCTFail("\($0)") }
                    ) { value in
                        values.append(value)
                        if value == 0 { first.open() }
                        if value == 4 { last.open() }
                    }
                first.wait()
                // The consumer has returned, so nothing else keeps the observation armed.
                queue.sync {}
                // The observation is registered now, or its registration will be matched with the commits
                // below.
                try writer.write { _ in }
                pause.pause()
                for _ in 0..<3 { try writer.write { db in try db.execute(sql: insertIntoT) } }
                // On a pool, a commit during the first fetch causes another fetch.
                XCTAssertEqual(Set(values.all), [0])
                XCTAssertLessThanOrEqual(changes.all.count - before, 3)
                pause.resume()
                // The fetch arms the observation again, so it must not miss a commit during that fetch.
                try writer.write { db in try db.execute(sql: insertIntoT) }
                last.wait()
                XCTAssertEqual(values.all, values.all.sorted())
                try writer.write { db in try db.execute(sql: insertIntoT) }
                cancellable.cancel()
            }
        }
    }

    func testItObservesAgainAfterEachPause() throws {
        try onEachWriter { writer in
            let changes = Values<ObservationTrigger>()
            for observation in observations(changes) {
                try writer.write { db in try db.execute(sql: "DELETE FROM t") }
                let pause = ObservationPause()
                let delivered = Mutex<[Int: Gate]>([:])
                let gate: @Sendable (Int) -> Gate = { number in
                    delivered.withLock { delivered in
                        let gate = delivered[number] ?? Gate()
                        delivered[number] = gate
                        return gate
                    }
                }
                let cancellable = observation.pausable(by: pause)
                    .start(
                        in: writer, scheduling: .async(onQueue: .global()), onError: { XCTFail("\($0)") },
                        onChange: { gate($0).open() })
                gate(0).wait()
                for round in 1...5 {
                    pause.pause()
                    try writer.write { db in try db.execute(sql: insertIntoT) }
                    pause.resume()
                    gate(2 * round - 1).wait()
                    try writer.write { db in try db.execute(sql: insertIntoT) }
                    gate(2 * round).wait()
                }
                cancellable.cancel()
            }
        }
    }
}
