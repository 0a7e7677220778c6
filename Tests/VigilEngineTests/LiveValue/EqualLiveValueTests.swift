import Foundation
import Synchronization
import Vigil
import XCTest

private struct Row: Codable, FetchableRecord, PersistableRecord, Equatable {
    static let databaseTableName = "t"
    var id: Int64
}

private func request(_ scores: ClosedRange<Int64> = 1...9) -> QueryInterfaceRequest<Row> {
    Row.filter(scores.contains(Column("id"))).order(Column("id"))
}

/// Checks that two live values are one observation, on each writer, if they are read at the same time or
/// one after the other.
@MainActor
private func assertShared<Value: Equatable & Sendable>(
    in writer: any DatabaseWriter, line: UInt = #line, _ make: () -> LiveValue<Value>,
    before: Value, after: Value
) throws {
    let (first, second, third) = (make(), make(), make())
    var readers = [first.addReader(), second.addReader()]
    waitUntil(first, line: line) { $0.value == before }
    waitUntil(second, line: line) { $0.value == before }
    readers.append(third.addReader())
    waitUntil(third, line: line) { $0.value == before && !$0.isLoading }
    XCTAssertEqual(writer.observations.map(\.fetchCount), [1], line: line)

    try writer.write { db in try db.execute(sql: "INSERT INTO t VALUES (5)") }
    for live in [first, second, third] { waitUntil(live, line: line) { $0.value == after } }
    XCTAssertEqual(writer.observations.map(\.fetchCount), [2], line: line)
    for reader in readers {
        XCTAssertEqual(writer.observations.count, 1, line: line)
        reader.cancel()
    }
    XCTAssertEqual(writer.observations.count, 0, line: line)
    try writer.write { db in try db.execute(sql: "DELETE FROM t") }
}

final class EqualLiveValueTests: XCTestCase {
    func testEqualLiveValuesAreOneObservation() throws {
        try onEachWriterOnMainActor { writer in
            let rows = [Row(id: 5)]
            try assertShared(
                in: writer, { LiveValue(.trackingAll(request()), in: writer) }, before: [], after: rows)
            try assertShared(
                in: writer, { LiveValue(.trackingAll(request()), in: writer, scheduling: .immediate) },
                before: [], after: rows)
            try assertShared(
                in: writer, { LiveValue(.trackingCount(request()), in: writer) }, before: 0, after: 1)
            let closure = ValueObservation.tracking { db in try request().fetchOne(db) }
            try assertShared(in: writer, { LiveValue(closure, in: writer) }, before: nil, after: rows[0])
            try assertShared(
                in: writer, { LiveValue(.trackingAll(request()).labeled("rows"), in: writer) }, before: [],
                after: rows)
        }
    }

    func testEqualListsAreOneObservation() throws {
        try onEachWriterOnMainActor { writer in
            @MainActor func make() -> LiveList<Row> { LiveList(.trackingList(request()), in: writer) }
            let (first, second) = (make(), make())
            let readers = [first.addReader(), second.addReader()]
            for live in [first, second] { waitUntil(live) { $0.value?.count == 0 } }
            try writer.write { db in try db.execute(sql: "INSERT INTO t VALUES (5)") }
            for live in [first, second] {
                waitUntil(live) { $0.value?.count == 1 }
                XCTAssertEqual(live.lastChange.inserted, RangeSet(0..<1))
            }
            XCTAssertEqual(writer.observations.count, 1)
            for reader in readers { reader.cancel() }
        }
    }

    /// Requests that compute their SQL in each fetch may differ later. The closures of Vigil depend on the
    /// schema alone.
    func testRequestsWithClosuresAreObservationsOfTheirOwn() throws {
        try onEachWriterOnMainActor { writer in
            let limits = [Flag(false), Flag(false)]
            let values = limits.map { limit in
                LiveValue(
                    .trackingAll(
                        Row.all().filterWhenConnected { _ in
                            Column("id") < (limit.value.withLock { $0 } ? 0 : 9)
                        }), in: writer)
            }
            let readers = values.map { $0.addReader() }
            for value in values { waitUntil(value) { $0.value == [] } }
            XCTAssertEqual(writer.observations.count, 2)
            limits[1].value.withLock { $0 = true }
            try writer.write { db in try db.execute(sql: "INSERT INTO t VALUES (5)") }
            waitUntil(values[0]) { $0.value == [Row(id: 5)] }
            for reader in readers { reader.cancel() }
            XCTAssertEqual(values[1].value, [])

            for request in [Row.filter(key: 5), Row.all().orderByPrimaryKey()] {
                let values = (0..<2).map { _ in LiveValue(.trackingAll(request), in: writer) }
                let readers = values.map { $0.addReader() }
                for value in values { waitUntil(value) { $0.value == [Row(id: 5)] } }
                XCTAssertEqual(writer.observations.count, 1)
                for reader in readers { reader.cancel() }
            }
        }
    }

    /// Live values that differ in any option are separate observations.
    func testOtherLiveValuesAreObservationsOfTheirOwn() throws {
        try onEachWriterOnMainActor { writer in
            let other = try DatabaseQueue(configuration: writer.configuration)
            try other.write { db in try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
            let pause = ObservationPause()
            let all = ValueObservation.trackingAll(request())
            var writing = all
            writing.requiresWriteAccess = true
            let values: [LiveValue<[Row]>] = [
                LiveValue(all, in: writer),
                LiveValue(.trackingAll(request(1...8)), in: writer),
                LiveValue(all, in: writer, scheduling: .immediate),
                LiveValue(all.map { $0 }, in: writer),
                LiveValue(all.map { $0 }, in: writer),
                LiveValue(all.removeDuplicates(), in: writer),
                LiveValue(all.handleEvents(willFetch: {}), in: writer),
                LiveValue(all.throttled(.milliseconds(1)), in: writer),
                LiveValue(all.debounced(.milliseconds(1)), in: writer),
                LiveValue(all.coalescing(.never), in: writer),
                LiveValue(all.pausable(by: pause), in: writer),
                LiveValue(all.labeled("own"), in: writer),
                LiveValue(.tracking { db in try request().fetchAll(db) }, in: writer),
                LiveValue(.tracking { db in try request().fetchAll(db) }, in: writer),
                LiveValue(writing, in: writer),
            ]
            let readers = (values + [LiveValue(all, in: other)]).map { $0.addReader() }
            for value in values { waitUntil(value) { $0.value == [] } }
            XCTAssertEqual(writer.observations.count, values.count)
            for reader in readers { reader.cancel() }
        }
    }

    func testAnErrorEndsAllEqualLiveValuesUntilTheyAreRetried() throws {
        try onEachWriterOnMainActor { writer in
            try writer.write { db in try db.execute(sql: "ALTER TABLE t RENAME TO u") }
            @MainActor func make() -> LiveValue<[Row]> { LiveValue(.trackingAll(request()), in: writer) }
            let (first, second) = (make(), make())
            let readers = [first.addReader(), second.addReader()]
            for live in [first, second] { waitUntil(live) { $0.error != nil && !$0.isLoading } }
            XCTAssertEqual(writer.observations.count, 0)
            try writer.write { db in try db.execute(sql: "ALTER TABLE u RENAME TO t") }
            first.retry()
            second.retry()
            for live in [first, second] { waitUntil(live) { $0.value == [] && $0.error == nil } }
            XCTAssertEqual(writer.observations.count, 1)
            for reader in readers { reader.cancel() }
        }
    }

    func testReaderMayBeCancelledBeforeTheObservationStarts() throws {
        try onEachWriterOnMainActor { writer in
            let live = LiveValue(.trackingAll(request()), in: writer)
            let reader = live.addReader()
            XCTAssertTrue(live.isLoading)
            reader.cancel()
            XCTAssertFalse(live.isLoading)
            // The start that was requested before ends first.
            try writer.unsafeRead { _ in }
            let drained = XCTestExpectation(description: "drained")
            DispatchQueue.main.async { drained.fulfill() }
            XCTAssertEqual(XCTWaiter().wait(for: [drained], timeout: testTimeout), .completed)
            XCTAssertEqual(writer.observations.count, 0)
            XCTAssertNil(live.value)
        }
    }

    func testClosedDatabaseIsAnError() throws {
        try onEachWriterOnMainActor { writer in
            try writer.close()
            let live = LiveValue(.trackingAll(request()), in: writer)
            let reader = live.addReader()
            waitUntil(live) { ($0.error as? DatabaseError)?.resultCode == .SQLITE_MISUSE }
            reader.cancel()
        }
    }
}
