import Dispatch
import Foundation
import Synchronization
import Vigil
import VigilTesting
import XCTest

@testable import VigilEngine

/// Observations of pools that deliver a value for each commit: their lists of values are exact.
final class EachCommitTests: XCTestCase {
    private let each = rowCounts.coalescing(.never)

    /// Holds all readers of a pool while `body` runs.
    private func holdingReaders(_ pool: DatabasePool, _ body: () throws -> Void) throws {
        let free = Gate()
        let holding = expectation(description: "holding")
        holding.expectedFulfillmentCount = pool.configuration.maximumReaderCount
        let held = DispatchGroup()
        for _ in 0..<pool.configuration.maximumReaderCount {
            held.enter()
            DispatchQueue.global().async {
                assertNoError {
                    try pool.read { _ in
                        holding.fulfill()
                        free.wait()
                    }
                }
                held.leave()
            }
        }
        wait(for: [holding], timeout: testTimeout)
        defer {
            free.open()
            held.wait()
        }
        try body()
    }

    /// Waits until the observation is registered. Until then, any commit may match it.
    private func settle<Value>(_ observed: Observed<Value>, _ writer: any DatabaseWriter) throws {
        observed.values.wait(count: 1)
        try writer.barrierWriteWithoutTransaction { _ in }
        writer.writeWithoutTransaction { _ in }
    }

    func testEachCommitIsAValueFromTheStartOn() throws {
        try onEachPoolFixture { fixture, _ in
            let observed = fixture.observe(each)
            try fixture.insert(20)
            observed.expect(Array(0...20))
        }
    }

    func testTheWriterFetchesWhileAllReadersAreHeld() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 2
        try onEachPoolFixture(Scheduling.allCases, configuration) { fixture, pool in
            let places = Recorder<String>()
            let observed = fixture.observe(
                ValueObservation.tracking { db -> Int in
                    places.append("\(db)".contains("writer") ? "writer" : "reader")
                    return try countRows(db)
                }
                .coalescing(.never))
            observed.expect([0])
            // All readers have been returned.
            try pool.barrierWriteWithoutTransaction { _ in }
            try holdingReaders(pool) {
                try fixture.insert(3)
                observed.expect([0, 1, 2, 3])
            }
            XCTAssertEqual(places.all.dropFirst(), ["writer", "writer", "writer"])
            try fixture.insert(3)
            observed.expect(Array(0...6))
        }
    }

    func testAnObservationStartsWhileAllReadersAreHeld() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try onEachPoolFixture(Scheduling.allCases, configuration) { fixture, pool in
            try holdingReaders(pool) {
                let observed = fixture.observe(each)
                try fixture.insert(2)
                observed.expect([0, 1, 2])
            }
        }
    }

    private func suspendedFetch(_ pool: DatabasePool) -> SuspendedFetch {
        SuspendedFetch(pool) { [unowned pool] in
            pool.suspend()
            pool.resume()
        }
    }

    func testAFetchOfTheWriterIsRepeatedAfterASuspension() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try onEachPoolFixture([.queue], configuration) { fixture, pool in
            let suspended = suspendedFetch(pool)
            let observed = fixture.observe(
                ValueObservation.tracking { db in try suspended.count(db) }.coalescing(.never))
            observed.expect([0])
            // The reader has been returned.
            try pool.barrierWriteWithoutTransaction { _ in }
            try holdingReaders(pool) {
                suspended.interruptNext()
                try fixture.insert()
                observed.expect([0, 1])
            }
        }
    }

    func testAFetchOfTheWriterIsRepeatedAfterTheFetchesOfEarlierCommits() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try onEachPoolFixture([.queue], configuration) { fixture, pool in
            let (fetching, goOn) = (Gate(), Gate())
            let slow = fixture.observe(
                rowCounts(fetching: fetching, goOn: goOn).coalescing(.never))
            slow.expect([0])
            let suspended = suspendedFetch(pool)
            let observed = fixture.observe(
                ValueObservation.tracking { db in try suspended.count(db) }.coalescing(.never))
            observed.expect([0])
            // The reader has been returned.
            try pool.barrierWriteWithoutTransaction { _ in }
            try fixture.insert()
            fetching.wait()
            // The writer fetches the second commit before the reader fetches the first one.
            suspended.interruptNext()
            try fixture.insert()
            goOn.open()
            observed.expect([0, 1, 2])
            slow.expect([0, 1, 2])
        }
    }

    func testAFetchOfALaterCommitMakesARepetitionUnnecessary() throws {
        for (_, backend) in testedBackends {
            var configuration = Configuration()
            configuration.maximumReaderCount = 1
            let timer = StepTimer()
            let directory = try TemporaryDirectory()
            let pool = try DatabasePool(
                backend: backend, location: .file(path: directory.file("db")), configuration: configuration,
                timer: timer)
            try pool.write { db in try db.execute(sql: tableT) }
            let (fetching, goOn) = (Gate(), Gate())
            let suspended = suspendedFetch(pool)
            let isHeld = Mutex(true)
            let values = Recorder<Int>()
            let cancellable = ValueObservation.tracking { db -> Int in
                let count = try suspended.count(db)
                let waits = isHeld.withLock { isHeld in
                    defer { if count == 2 { isHeld = false } }
                    return isHeld && count == 2
                }
                if waits {
                    fetching.open()
                    goOn.wait()
                }
                return count
            }
            .coalescing(.never)
            .start(
                in: pool, scheduling: .inline, onError: { XCTFail("\($0)") }, onChange: { values.append($0) })
            values.wait(count: 1)
            try pool.barrierWriteWithoutTransaction { _ in }
            try holdingReaders(pool) {
                suspended.interruptNext()
                try pool.write { db in try db.execute(sql: insertIntoT) }
                timer.scheduled.wait(count: 1)
            }
            // The reader fetches the second commit when the pause ends.
            try pool.write { db in try db.execute(sql: insertIntoT) }
            fetching.wait()
            timer.manual.advance(by: .seconds(2))
            pool.writeWithoutTransaction { _ in }
            goOn.open()
            try pool.write { db in try db.execute(sql: insertIntoT) }
            XCTAssertEqual(values.wait(count: 3), [0, 2, 3])
            cancellable.cancel()
        }
    }

    func testTheWriterFetchesNoUncommittedRows() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        configuration.allowsUnsafeTransactions = true
        try onEachPoolFixture([.queue], configuration) { fixture, pool in
            try holdingReaders(pool) {
                try pool.writeWithoutTransaction { db in try db.execute(sql: "BEGIN; \(insertIntoT)") }
                let observed = fixture.observe(each)
                // The fetch was requested before.
                try pool.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
                observed.expect([0])
            }
        }
    }

    func testABacklogOfCommitsDoesNotDeepenTheStack() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try onEachPoolFixture([.queue], configuration) { fixture, pool in
            let (fetching, goOn) = (Gate(), Gate())
            let depths = Recorder<Int>()
            let counts = Recorder<Int>()
            let cancellable = rowCounts(fetching: fetching, goOn: goOn).coalescing(.never)
                .start(
                    in: pool, scheduling: .inline, onError: { XCTFail("\($0)") },
                    onChange: { count in
                        depths.append(Thread.callStackReturnAddresses.count)
                        counts.append(count)
                    })
            counts.wait(count: 1)
            // The only reader is free again, so it fetches the next commit.
            try pool.read { _ in }
            try fixture.insert()
            fetching.wait()
            // The only reader is held, so the writer fetches these commits, and the values are queued.
            try fixture.insert(300)
            goOn.open()
            XCTAssertEqual(counts.wait(count: 302), Array(0...301))
            // The values that the writer has fetched are delivered by the same loop.
            XCTAssertEqual(Set(depths.all.suffix(300)).count, 1)
            cancellable.cancel()
        }
    }

    func testTheWriterContinuesDuringASlowFetchAndNoCommitIsLost() throws {
        try onEachPoolFixture { fixture, _ in
            let (fetching, goOn) = (Gate(), Gate())
            let observed = fixture.observe(
                rowCounts(fetching: fetching, goOn: goOn).coalescing(.never))
            observed.expect([0])
            try fixture.insert()
            fetching.wait()
            // With more commits than readers, the writer eventually fetches.
            try fixture.insert(10)
            XCTAssertEqual(observed.values.all, [0])
            goOn.open()
            observed.expect(Array(0...11))
        }
    }

    func testARegionThatChangesWithEachCommitIsTracked() throws {
        let schema = """
            CREATE TABLE source(name TEXT); INSERT INTO source VALUES ('a');
            CREATE TABLE a(v); CREATE TABLE b(v);
            """
        try onEachPoolFixture(schema: schema) { fixture, _ in
            let observed = fixture.observe(
                ValueObservation.tracking { db -> String in
                    let name = try String.fetchOne(db, sql: "SELECT name FROM source") ?? ""
                    let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(name)") ?? -1
                    return "\(name)\(count)"
                }
                .coalescing(.never))
            try settle(observed, fixture.writer)
            for sql in [
                "INSERT INTO a VALUES (1)", "INSERT INTO b VALUES (1)", "UPDATE source SET name = 'b'",
                "INSERT INTO a VALUES (1)", "INSERT INTO b VALUES (1)", "UPDATE source SET name = 'a'",
                "INSERT INTO b VALUES (1)", "INSERT INTO a VALUES (1)",
            ] { try fixture.writer.commit(sql) }
            observed.expect(["a0", "a1", "b1", "b2", "a2", "a3"])
        }
    }

    func testRandomRegionsGiveTheSameValuesAsAQueue() throws {
        let seed = RandomTestSettings.seed
        print("each commit: VIGIL_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        let schema = """
            CREATE TABLE source(name TEXT); INSERT INTO source VALUES ('a');
            CREATE TABLE a(v); CREATE TABLE b(v); CREATE TABLE c(v);
            """
        let names = ["a", "b", "c"]
        try onEachPoolFixture(schema: schema) { fixture, _ in
            var counts = ["a": 0, "b": 0, "c": 0]
            var source = "a"
            var expected = ["a0"]
            let observed = fixture.observe(
                ValueObservation.tracking { db -> String in
                    let name = try String.fetchOne(db, sql: "SELECT name FROM source") ?? ""
                    let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(name)") ?? -1
                    return "\(name)\(count)"
                }
                .coalescing(.never))
            try settle(observed, fixture.writer)
            for _ in 0..<40 {
                guard let name = names.randomElement(using: &random) else { continue }
                if Bool.random(using: &random) {
                    guard name != source else { continue }
                    source = name
                    try fixture.writer.commit("UPDATE source SET name = '\(name)'")
                } else {
                    counts[name, default: 0] += 1
                    try fixture.writer.commit("INSERT INTO \(name) VALUES (1)")
                    guard name == source else { continue }
                }
                expected.append("\(source)\(counts[source] ?? -1)")
            }
            observed.expect(expected)
        }
    }

    func testEachOfSeveralObservationsReceivesEachCommit() throws {
        try onEachPoolFixture { fixture, _ in
            let observed = (0..<5).map { _ in fixture.observe(each) }
            let coalescing = fixture.observe(rowCounts)
            try fixture.insert(10)
            for observation in observed { observation.expect(Array(0...10)) }
            let values = coalescing.values.wait(for: 10)
            XCTAssertEqual(values, values.sorted())
        }
    }

    func testAnEndedObservationDoesNotDelayOthers() throws {
        try onEachPoolFixture { fixture, _ in
            let (one, two) = (fixture.observe(each), fixture.observe(each))
            one.expect([0])
            two.expect([0])
            try fixture.insert()
            one.cancel()
            try fixture.insert(3)
            two.expect(Array(0...4))
            let failing = fixture.observe(
                ValueObservation.tracking { db in
                    try countRows(db) == 5 ? try Int.fetchOne(db, sql: "SELECT 1 FROM x") : 0
                }
                .coalescing(.never))
            failing.values.wait(count: 1)
            try fixture.insert(2)
            failing.errors.wait(count: 1)
            two.expect(Array(0...6))
        }
    }

    func testNotifiedChangesAreFetched() throws {
        try onEachPoolFixture { fixture, pool in
            let observed = fixture.observe(each)
            observed.expect([0])
            try pool.writeWithoutTransaction { db in
                try db.notifyChanges(in: DatabaseRegion(table: "t"))
                try db.notifyChanges(in: .fullDatabase)
            }
            observed.expect([0, 0, 0])
        }
    }

    func testWithoutATransactionEachStatementIsACommit() throws {
        try onEachPoolFixture { fixture, pool in
            let observed = fixture.observe(each)
            try pool.writeWithoutTransaction { db in
                for _ in 0..<5 { try db.execute(sql: insertIntoT) }
                try db.execute(sql: "BEGIN; DELETE FROM t; ROLLBACK")
                try db.execute(sql: "SAVEPOINT s; \(insertIntoT); ROLLBACK TO s; \(insertIntoT); RELEASE s")
            }
            observed.expect(Array(0...6))
        }
    }

    /// The observation reads another table in its last fetch, so its region changes.
    func testAnObservationThatEndsDuringItsFetchIsNotRegisteredAgain() throws {
        try onEachPoolFixture { fixture, pool in
            let ends = Recorder<@Sendable () -> Void>()
            let ending = ValueObservation.tracking { db -> Int in
                guard let end = ends.all.first else { return try countRows(db) }
                defer { end() }
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
            }
            let first = Observed { values, errors in
                ending.coalescing(.never).start(
                    in: pool, scheduling: .async(onQueue: .global()), onError: { errors.append($0) },
                    onChange: { values.append($0) })
            }
            first.expect([0])
            let second = fixture.observe(each)
            try settle(second, pool)
            try pool.writeWithoutTransaction { db in
                ends.append { first.cancel() }
                try db.execute(sql: insertIntoT)
                // The first observation has fetched before, in the same round.
                second.expect([0, 1])
                try db.execute(sql: insertIntoT)
            }
            second.expect([0, 1, 2])
            first.expect([0])
        }
    }
}
