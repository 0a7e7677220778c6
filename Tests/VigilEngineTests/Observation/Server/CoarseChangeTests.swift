import Vigil
import XCTest

@testable import VigilEngine

/// Observations of a server, which only reports that something has changed.
final class CoarseChangeTests: XCTestCase {
    private func count(_ fetches: Recorder<Void>) -> ValueObservation<ValueReducers.Fetch<Int>> {
        .tracking { db in
            fetches.append(())
            return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
        }
    }

    func testAnEqualResultIsNotDeliveredAgain() throws {
        try onEachServer { fixture in
            let fetches = Recorder<Void>()
            let observed = fixture.observe(count(fetches))
            observed.expect([0])
            try fixture.insert(into: "other")
            fetches.wait(count: 2)
            try fixture.insert()
            observed.expect([0, 1])
            XCTAssertEqual(fetches.all.count, 3)
        }
    }

    func testObserversThatShareAFetchCompareItsResult() throws {
        try onEachServer { fixture in
            let fetches = Recorder<Void>()
            let observation = count(fetches)
            let observed = (1...3).map { _ in fixture.observe(observation) }
            for observed in observed { observed.expect([0]) }
            for number in 1...3 {
                let fetched = fetches.all.count
                try fixture.insert(into: "other")
                fetches.wait(count: fetched + 1)
                try fixture.insert()
                for observed in observed { observed.expect(Array(0...number)) }
            }
        }
    }

    func testAResultThatChangesBackIsDelivered() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(count(Recorder()))
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
            try fixture.dbPool.write { db in try db.execute(sql: "DELETE FROM t") }
            observed.expect([0, 1, 0])
        }
    }

    /// The value may depend on more than the statements of the fetch.
    func testAFetchThatDeclaresARegionIsAlwaysDelivered() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(
                .tracking { db in
                    try db.registerAccess(to: DatabaseRegion(table: "other"))
                    return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
                })
            observed.expect([0])
            try fixture.insert(into: "other")
            observed.expect([0, 0])
        }
    }

    /// The results of the statements that succeed stay the same.
    func testAFetchThatHandlesAnErrorIsAlwaysDelivered() throws {
        try onEachServer { fixture in
            for message in ["one", "two"] {
                fixture.server.fail(
                    statementsWith: "fragile", count: 1, with: StorageError(.error, message))
            }
            let observed = fixture.observe(
                ValueObservation.tracking { db -> String in
                    let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
                    do {
                        let value = try Int.fetchOne(db, sql: "SELECT 7 AS fragile") ?? -1
                        return "\(count) \(value)"
                    } catch let error as DatabaseError {
                        return "\(count) \(error.message ?? "")"
                    }
                })
            observed.expect(["0 one"])
            try fixture.insert(into: "other")
            observed.expect(["0 one", "0 two"])
        }
    }

    func testAResultIsNotComparedWithOneBeforeTheLastDelivery() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(
                .tracking { db in
                    let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
                    if count == 1 { try db.registerAccess(to: DatabaseRegion(table: "other")) }
                    return count
                })
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
            try fixture.dbPool.write { db in try db.execute(sql: "DELETE FROM t") }
            observed.expect([0, 1, 0])
        }
    }

    func testAFetchWithoutResultsIsAlwaysDelivered() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(.tracking(region: .fullDatabase) { _ in 7 })
            observed.expect([7])
            try fixture.insert()
            observed.expect([7, 7])
        }
    }

    func testAGroupWithAGivenRegionIsAlwaysDelivered() throws {
        try onEachServer { fixture in
            let given = ValueObservation.tracking(region: .fullDatabase) { _ in 7 }
            let observed = fixture.observe(
                ObservationGroup(count(Recorder()), given).observation.map { "\($0.0) \($0.1)" })
            observed.expect(["0 7"])
            try fixture.insert(into: "other")
            observed.expect(["0 7", "0 7"])
        }
    }

    func testEachCommitIsFetchedOnce() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            let location = StorageLocation.file(path: directory.file("database"))
            let server = RemoteBackend(backend)
            let pools = try (1...2).map { _ in
                try DatabasePool(
                    backend: server, location: location, configuration: Configuration(),
                    timer: DispatchTimer())
            }
            try pools[0].write { db in try db.execute(sql: "CREATE TABLE t(a)") }
            let fetches = Recorder<Void>()
            let values = Recorder<Int>()
            let cancellable = count(fetches).start(
                in: pools[0], scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            values.wait(count: 1)
            var expected = [0]
            for number in 1...20 {
                let pool = pools[number % 2]
                try pool.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
                expected.append(number)
                XCTAssertEqual(values.wait(count: number + 1), expected)
            }
            XCTAssertEqual(fetches.all.count, 21)
            cancellable.cancel()
        }
    }

    func testEachCommitCannotBeRead() throws {
        try onEachServer { fixture in
            let observed = fixture.observe(
                ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1 }
                    .coalescing(.never))
            observed.expect([0])
            try fixture.insert()
            observed.expect([0, 1])
        }
    }

    func testTransactionObserversAreRefused() throws {
        final class Observer: TransactionObserver {
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try onEachServer { fixture in
            fixture.dbPool.add(transactionObserver: Observer())
            XCTAssertThrowsError(try fixture.insert()) { error in
                XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
                XCTAssertTrue("\(error)".contains("ValueObservation"), "\(error)")
            }
            let commits = Recorder<Void>()
            try fixture.dbPool.write { db in
                db.afterNextTransaction { _ in commits.append(()) }
                try db.execute(sql: "INSERT INTO t VALUES (1)")
            }
            XCTAssertEqual(commits.all.count, 1)
        }
    }

    func testWritesAreRepeatedAfterConflicts() throws {
        for retries in [0, 2] {
            var configuration = Configuration()
            configuration.maximumWriteRetryCount = retries
            try onEachServer(configuration) { fixture in
                fixture.server.failCommits(retries)
                let runs = Recorder<Void>()
                let write = { (db: Database) in
                    runs.append(())
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                }
                try fixture.dbPool.write(write)
                XCTAssertEqual(runs.all.count, retries + 1)
                fixture.server.failCommits(retries + 1)
                XCTAssertThrowsError(try fixture.dbPool.write(write)) { error in
                    XCTAssertEqual((error as? DatabaseError)?.sqlState, "40001")
                }
                XCTAssertEqual(runs.all.count, 2 * (retries + 1))
                let count = try fixture.dbPool.read { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
                }
                XCTAssertEqual(count, 1)
            }
        }
    }

    func testSendableClosuresAreRepeatedByDefault() throws {
        for (retries, runCount) in [(nil, 4), (0, 1), (1, 2)] as [(Int?, Int)] {
            var configuration = Configuration()
            configuration.maximumWriteRetryCount = retries
            try onEachServer(configuration) { fixture in
                for failures in [runCount - 1, runCount] {
                    fixture.server.failCommits(failures)
                    let runs = Recorder<Void>()
                    let ended = expectation(description: "written")
                    fixture.dbPool.asyncWrite { db in
                        runs.append(())
                        try db.execute(sql: "INSERT INTO t VALUES (1)")
                    } completion: { _, result in
                        if case .failure(let error) = result {
                            XCTAssertEqual((error as? DatabaseError)?.sqlState, "40001")
                        }
                        XCTAssertEqual((try? result.get()) == nil, failures == runCount)
                        ended.fulfill()
                    }
                    wait(for: [ended], timeout: 60)
                    XCTAssertEqual(runs.all.count, runCount)
                }
            }
        }
    }
}
