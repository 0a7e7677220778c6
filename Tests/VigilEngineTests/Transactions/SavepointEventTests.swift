import Vigil
import XCTest

/// The notifications of changes inside savepoints, and when observers receive them.
final class SavepointEventTests: XCTestCase {
    private func insert(_ id: Int) -> String { "INSERT INTO artist VALUES (\(id), '')" }

    func testChangesAreReportedWhenTheOutermostSavepointIsReleased() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; \(insert(1))")
                XCTAssertEqual(observer.takeLog(), ["insert artist 1"])
                try db.execute(
                    sql: "SAVEPOINT a; \(insert(2)); SAVEPOINT b; \(insert(3)); RELEASE b; \(insert(4))")
                XCTAssertEqual(observer.takeLog(), [])
                try db.execute(sql: "RELEASE a")
                XCTAssertEqual(observer.takeLog(), ["insert artist 2", "insert artist 3", "insert artist 4"])
                try db.execute(sql: "\(insert(5)); COMMIT")
                XCTAssertEqual(observer.takeLog(), ["insert artist 5"] + commit)
            }
        }
    }

    func testTheCommitReportsBufferedSavepointChanges() throws {
        try onEachObservedWriter { writer, observer in
            try writer.run("BEGIN; SAVEPOINT a; \(insert(1)); SAVEPOINT b; \(insert(2)); COMMIT")
            XCTAssertEqual(observer.takeLog(), ["insert artist 1", "insert artist 2"] + commit)
            try writer.run("BEGIN; SAVEPOINT a; \(insert(3)); ROLLBACK")
            XCTAssertEqual(observer.takeLog(), rollback)
            try writer.run(insert(4))
            XCTAssertEqual(observer.takeLog(), ["insert artist 4"] + commit)
        }
    }

    func testSavepointsEndWithTheTransactionAfterTheLastObserverIsRemoved() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; SAVEPOINT a")
                db.remove(transactionObserver: observer)
                try db.execute(sql: "\(insert(1)); COMMIT")
                db.add(transactionObserver: observer)
                try db.execute(sql: "BEGIN; \(insert(2))")
                XCTAssertEqual(observer.takeLog(), ["insert artist 2"])
                try db.execute(sql: "COMMIT")
                XCTAssertEqual(observer.takeLog(), commit)
            }
        }
    }

    func testASavepointOutsideATransactionBuffersChanges() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "SAVEPOINT a; \(insert(1)); SAVEPOINT b; \(insert(2)); RELEASE b")
                XCTAssertEqual(observer.takeLog(), [])
                try db.execute(sql: "RELEASE a")
                XCTAssertEqual(observer.takeLog(), ["insert artist 1", "insert artist 2"] + commit)
            }
        }
    }

    func testARollbackToASavepointDropsItsChangesAndLeavesItOpen() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; SAVEPOINT a; \(insert(1)); SAVEPOINT b; \(insert(2))")
                try db.execute(sql: "ROLLBACK TO b; \(insert(3)); ROLLBACK TO b; \(insert(4))")
                XCTAssertEqual(observer.takeLog(), [])
                try db.execute(sql: "RELEASE a")
                XCTAssertEqual(observer.takeLog(), ["insert artist 1", "insert artist 4"])
                try db.execute(
                    sql: "SAVEPOINT a; \(insert(5)); SAVEPOINT b; \(insert(6)); ROLLBACK TO a; COMMIT")
                XCTAssertEqual(observer.takeLog(), commit)
            }
        }
    }

    func testAnExplainedRollbackKeepsTheChanges() throws {
        try onEachObservedWriter { writer, observer in
            try writer.run("SAVEPOINT a; \(insert(1)); EXPLAIN ROLLBACK TO a; EXPLAIN ROLLBACK; RELEASE a")
            XCTAssertEqual(observer.takeLog(), ["insert artist 1"] + commit)
        }
    }

    func testSavepointsOfTheSameNameNest() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "SAVEPOINT x; \(insert(1)); SAVEPOINT X; \(insert(2)); ROLLBACK TO x")
                try db.execute(sql: "\(insert(3)); RELEASE x; \(insert(4))")
                XCTAssertEqual(observer.takeLog(), [])
                try db.execute(sql: "RELEASE X")
            }
            XCTAssertEqual(
                observer.takeLog(), ["insert artist 1", "insert artist 3", "insert artist 4"] + commit)
        }
    }

    func testAnOutermostSavepointBlockIsATransaction() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: insert(1))
                try db.inSavepoint {
                    XCTAssertTrue(db.isInsideTransaction)
                    try db.execute(sql: insert(2))
                    XCTAssertEqual(observer.log.last, "insert artist 2")
                    return .rollback
                }
                try db.inSavepoint {
                    try db.execute(sql: insert(3))
                    return .commit
                }
            }
            XCTAssertEqual(
                observer.takeLog(),
                ["insert artist 1"] + commit + ["insert artist 2"] + rollback + ["insert artist 3"] + commit)
        }
    }

    func testARolledBackSavepointBlockReportsNothing() throws {
        try onEachObservedWriter { writer, observer in
            try writer.write { db in
                try db.execute(sql: insert(1))
                try db.inSavepoint {
                    try db.execute(sql: insert(2))
                    try db.inSavepoint {
                        try db.execute(sql: insert(3))
                        return .rollback
                    }
                    try db.execute(sql: insert(4))
                    return .commit
                }
                XCTAssertThrowsError(
                    try db.inSavepoint {
                        try db.execute(sql: insert(6))
                        throw Objection()
                    }
                ) { XCTAssertTrue($0 is Objection) }
                XCTAssertTrue(db.isInsideTransaction)
                try db.execute(sql: insert(5))
            }
            XCTAssertEqual(observer.takeLog(), [1, 2, 4, 5].map { "insert artist \($0)" } + commit)
            XCTAssertEqual(try writer.count("artist"), 4)
        }
    }

    func testAnErrorRollsBackATransactionBlock() throws {
        try onEachObservedWriter { writer, observer in
            try writer.writeWithoutTransaction { db in
                for kind in [Database.TransactionKind.deferred, .immediate, .exclusive] {
                    XCTAssertThrowsError(
                        try db.inTransaction(kind) {
                            try db.execute(sql: insert(1))
                            throw Objection()
                        })
                    XCTAssertEqual(observer.takeLog(), ["insert artist 1"] + rollback)
                    XCTAssertFalse(db.isInsideTransaction)
                }
                XCTAssertThrowsError(
                    try db.inSavepoint {
                        try db.execute(sql: insert(1))
                        throw Objection()
                    })
                XCTAssertFalse(db.isInsideTransaction)
            }
            XCTAssertEqual(observer.takeLog(), ["insert artist 1"] + rollback)
        }
    }

    func testAnObserverAddedInsideASavepointIsNotNotifiedOfUndoneChanges() throws {
        try onEachWriter { writer in
            let observer = RecordingObserver()
            try writer.write { db in
                try db.inSavepoint {
                    db.add(transactionObserver: observer)
                    try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                    return .rollback
                }
            }
            XCTAssertEqual(observer.takeLog(), commit)
            writer.remove(transactionObserver: observer)
            try writer.write { db in
                try db.execute(sql: "SAVEPOINT one; SAVEPOINT two; RELEASE two; SAVEPOINT three")
                db.add(transactionObserver: observer)
                try db.execute(sql: "INSERT INTO artist VALUES (1, ''); RELEASE three")
                XCTAssertEqual(observer.log, [])
                try db.execute(sql: "INSERT INTO artist VALUES (2, ''); RELEASE one")
                XCTAssertEqual(observer.log, ["insert artist 1", "insert artist 2"])
            }
            XCTAssertEqual(observer.takeLog(), ["insert artist 1", "insert artist 2"] + commit)
        }
    }
}
