import Dispatch
import Vigil
import XCTest

final class StopObservingTests: XCTestCase {
    func testAnObserverCanStopObservingTheChangesOfATransaction() throws {
        try onEachObservedWriter { writer, observer in
            let other = RecordingObserver()
            writer.add(transactionObserver: other)
            observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
            for id in [1, 3] {
                try writer.write { db in
                    try db.execute(sql: "INSERT INTO artist VALUES (\(id), ''), (\(id + 1), '')")
                    try db.execute(sql: "DELETE FROM album")
                    try db.notifyChanges(in: DatabaseRegion.fullDatabase)
                }
                XCTAssertEqual(observer.takeLog(), ["insert artist \(id)"] + commit)
                XCTAssertEqual(
                    other.takeLog(), ["insert artist \(id)", "insert artist \(id + 1)", "changed"] + commit)
            }
        }
    }

    func testTheNextTransactionIsObservedAfterARollback() throws {
        try onEachObservedWriter { writer, observer in
            observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
            try writer.run("BEGIN; INSERT INTO artist VALUES (1, ''), (2, ''); ROLLBACK")
            XCTAssertEqual(observer.takeLog(), ["insert artist 1"] + rollback)
            try writer.run("INSERT INTO artist VALUES (1, ''), (2, '')")
            XCTAssertEqual(observer.takeLog(), ["insert artist 1"] + commit)
        }
    }

    func testAnObserverCanStopInsideANotification() throws {
        try onEachObservedWriter { writer, observer in
            observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
            try writer.write { db in
                try db.notifyChanges(in: DatabaseRegion(table: "album"))
                try db.notifyChanges(in: DatabaseRegion(table: "album"))
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
            }
            XCTAssertEqual(observer.log, ["changed"] + commit)
        }
    }

    func testStoppingAlsoEndsBufferedSavepointChanges() throws {
        try onEachObservedWriter { writer, observer in
            observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
            try writer.run("SAVEPOINT a; INSERT INTO artist VALUES (1, ''), (2, ''); RELEASE a")
            XCTAssertEqual(observer.log, ["insert artist 1"] + commit)
        }
    }

    func testStoppingOutsideARowEventDoesNothing() throws {
        try onEachObservedWriter { writer, observer in
            observer.onCommit = { _ in observer.stopObservingDatabaseChangesUntilNextTransaction() }
            observer.onWillCommit = { observer.stopObservingDatabaseChangesUntilNextTransaction() }
            observer.stopObservingDatabaseChangesUntilNextTransaction()
            try writer.write { db in
                observer.stopObservingDatabaseChangesUntilNextTransaction()
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
            }
            try writer.run("INSERT INTO artist VALUES (2, '')")
            XCTAssertEqual(observer.log, ["insert artist 1"] + commit + ["insert artist 2"] + commit)
        }
    }

    func testAnObserverOfTwoDatabasesStopsOnTheNotifyingOne() throws {
        try onEachWriter { outer in
            let inner = try DatabaseQueue(configuration: outer.configuration)
            try inner.run(twoTables)
            let observer = RecordingObserver()
            outer.add(transactionObserver: observer)
            inner.add(transactionObserver: observer)
            try outer.write { db in
                try inner.write { other in
                    observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
                    try other.execute(sql: "INSERT INTO artist VALUES (1, ''), (2, '')")
                    observer.onChange = { _ in }
                    try db.execute(sql: "INSERT INTO artist VALUES (3, '')")
                    try other.execute(sql: "INSERT INTO artist VALUES (4, '')")
                }
            }
            XCTAssertEqual(observer.log, ["insert artist 1", "insert artist 3"] + commit + commit)
        }
    }

    func testStoppingWorksOnAnyThread() throws {
        try onEachObservedWriter { writer, observer in
            observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
            let isDone = expectation(description: "written")
            writer.asyncWriteWithoutTransaction { db in
                assertNoError { try db.execute(sql: "INSERT INTO artist VALUES (1, ''), (2, '')") }
                isDone.fulfill()
            }
            wait(for: [isDone], timeout: 5)
            XCTAssertEqual(observer.log, ["insert artist 1"] + commit)
        }
    }

    func testAnObserverOfAnOuterDatabaseCanStop() throws {
        try onEachObservedWriter { outer, observer in
            let inner = try DatabaseQueue(configuration: outer.configuration)
            observer.onChange = { $0.stopObservingDatabaseChangesUntilNextTransaction() }
            try outer.write { db in
                try inner.read { _ in try db.execute(sql: "INSERT INTO artist VALUES (1, ''), (2, '')") }
            }
            XCTAssertEqual(observer.log, ["insert artist 1"] + commit)
        }
    }
}
