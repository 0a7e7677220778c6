import Vigil
import XCTest

/// How long the database retains transaction observers and notifies them.
final class ObservationExtentTests: XCTestCase {
    private let insert = "INSERT INTO artist(name) VALUES ('')"

    func testTheDatabaseDoesNotRetainObserversByDefault() throws {
        try onEachWriter { writer in
            var observer: RecordingObserver? = RecordingObserver()
            weak let weakObserver = observer
            writer.add(transactionObserver: try XCTUnwrap(observer))
            try writer.commit(insert)
            XCTAssertEqual(observer?.log.last, "committed")
            observer = nil
            XCTAssertNil(weakObserver)
            try writer.commit(insert)
        }
    }

    func testTheDatabaseCanRetainAnObserverUntilItIsClosed() throws {
        try onEachWriter { writer in
            var observer: RecordingObserver? = RecordingObserver()
            weak let weakObserver = observer
            writer.add(transactionObserver: try XCTUnwrap(observer), extent: .databaseLifetime)
            observer = nil
            try writer.commit(insert)
            try writer.commit(insert)
            XCTAssertEqual(weakObserver?.log.count, 6)
            try writer.close()
            XCTAssertNil(weakObserver)
        }
    }

    func testAnObserverOfTheNextTransactionIsReleasedWhenItEnds() throws {
        for ending in ["COMMIT", "ROLLBACK"] {
            try onEachWriter { writer in
                var observer: RecordingObserver? = RecordingObserver()
                weak let weakObserver = observer
                writer.add(transactionObserver: try XCTUnwrap(observer), extent: .nextTransaction)
                observer = nil
                XCTAssertNotNil(weakObserver)
                // A single failing statement is not a transaction.
                XCTAssertThrowsError(try writer.run("INSERT INTO album VALUES (1, 99, '')"))
                XCTAssertNotNil(weakObserver)
                try writer.run("BEGIN; \(insert); \(ending)")
                XCTAssertNil(weakObserver)
            }
        }
    }

    func testATransactionInsideANotificationIsReportedToOtherObserversOnly() throws {
        try onEachWriter { writer in
            let always = RecordingObserver()
            let once = RecordingObserver()
            writer.add(transactionObserver: always)
            writer.add(transactionObserver: once, extent: .nextTransaction)
            once.onCommit = { db in
                assertNoError { try db.execute(sql: "INSERT INTO artist VALUES (2, '')") }
            }
            try writer.commit("INSERT INTO artist VALUES (1, '')")
            XCTAssertEqual(once.log, ["insert artist 1"] + commit)
            XCTAssertEqual(always.log, ["insert artist 1"] + commit + ["insert artist 2"] + commit)
        }
    }

    func testOneCompletionRunsAfterTheNextTransactionAndBothAreReleased() throws {
        for ending in ["COMMIT", "ROLLBACK"] {
            try onEachWriter { writer in
                let calls = Values<String>()
                var token: Token? = Token()
                weak let weakToken = token
                writer.writeWithoutTransaction { [token] db in
                    db.afterNextTransaction(
                        onCommit: { [token] _ in
                            _ = token
                            calls.append("COMMIT")
                        },
                        onRollback: { [token] _ in
                            _ = token
                            calls.append("ROLLBACK")
                        })
                }
                token = nil
                XCTAssertThrowsError(try writer.run("INSERT INTO album VALUES (1, 99, '')"))
                XCTAssertEqual(calls.all, [])
                XCTAssertNotNil(weakToken)
                try writer.run("BEGIN; \(insert); \(ending)")
                XCTAssertEqual(calls.all, [ending])
                XCTAssertNil(weakToken)
                try writer.run("\(insert); BEGIN; ROLLBACK")
                XCTAssertEqual(calls.all, [ending])
            }
        }
    }

    func testACompletionAddedInsideATransactionRunsAtItsEnd() throws {
        try onEachWriter { writer in
            let calls = Values<Int?>()
            try writer.write { db in
                try db.execute(sql: insert)
                db.afterNextTransaction { db in
                    calls.append(try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist"))
                    XCTAssertFalse(db.isInsideTransaction)
                }
                XCTAssertEqual(calls.all, [])
            }
            XCTAssertEqual(calls.all, [1])
        }
    }

    func testASnapshotMadeAtTheEndOfATransactionContainsIt() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let pool = try DatabasePool(path: directory.file("database.sqlite"), configuration: configuration)
            try pool.commit(twoTables)
            let observer = RecordingObserver()
            pool.add(transactionObserver: observer)
            var snapshots: [DatabaseSnapshot] = []
            observer.onCommit = { _ in assertNoError { snapshots.append(try pool.makeSnapshot()) } }
            try pool.commit(insert)
            try pool.run(insert)
            XCTAssertEqual(try snapshots.map { try $0.count("artist") }, [1, 2])
        }
    }
}

private final class Token: Sendable {}
