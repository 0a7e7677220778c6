import Vigil
import XCTest

/// The notifications at the end of transactions.
final class TransactionCompletionTests: XCTestCase {
    func testEachStatementOutsideATransactionIsATransaction() throws {
        try onEachObservedWriter { writer, observer in
            try writer.run("INSERT INTO artist VALUES (1, ''); UPDATE artist SET name = 'b'")
            XCTAssertEqual(observer.log, ["insert artist 1"] + commit + ["update artist 1"] + commit)
        }
    }

    func testAnEmptyDeferredTransactionIsCommitted() throws {
        let empty = [
            "BEGIN DEFERRED TRANSACTION; COMMIT", "SAVEPOINT x; RELEASE x", "SAVEPOINT x; COMMIT",
            "SAVEPOINT test; ROLLBACK TO test; RELEASE test", "BEGIN; SELECT * FROM artist; END",
        ]
        for sql in empty {
            try onEachObservedWriter { writer, observer in
                try writer.run(sql)
                XCTAssertEqual(observer.log, commit, sql)
            }
        }
    }

    func testKindsOfTransactionsAreNamedInSQL() throws {
        let names: [(Database.TransactionKind, String)] = [
            (.deferred, "DEFERRED"), (.immediate, "IMMEDIATE"), (.exclusive, "EXCLUSIVE"),
        ]
        for (kind, name) in names {
            XCTAssertEqual(kind.rawValue, name)
            XCTAssertEqual(Database.TransactionKind(rawValue: name), kind)
        }
    }

    func testAnObserverCanVetoAnEmptyTransaction() throws {
        for sql in ["BEGIN DEFERRED TRANSACTION; COMMIT", "SAVEPOINT x; RELEASE x", "SAVEPOINT x; COMMIT"] {
            try onEachObservedWriter { writer, observer in
                observer.onWillCommit = { throw Objection() }
                XCTAssertThrowsError(try writer.run(sql)) { XCTAssertTrue($0 is Objection, "\($0)") }
                XCTAssertEqual(observer.takeLog(), ["will commit"] + rollback, sql)
                observer.onWillCommit = {}
                try writer.run(sql)
                XCTAssertEqual(observer.log, commit, sql)
            }
        }
    }

    /// The ways to commit an insertion.
    private let ways: [(name: String, insert: (any DatabaseWriter) throws -> Void)] = [
        ("a statement", { try $0.run("INSERT INTO artist VALUES (1, '')") }),
        ("COMMIT", { try $0.run("BEGIN; INSERT INTO artist VALUES (1, ''); COMMIT") }),
        ("RELEASE", { try $0.run("SAVEPOINT x; INSERT INTO artist VALUES (1, ''); RELEASE x") }),
        ("write", { try $0.commit("INSERT INTO artist VALUES (1, '')") }),
        (
            "inTransaction",
            { writer in
                try writer.writeWithoutTransaction { db in
                    try db.inTransaction {
                        try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                        return .commit
                    }
                }
            }
        ),
        (
            "inSavepoint",
            { writer in
                try writer.writeWithoutTransaction { db in
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                        return .commit
                    }
                }
            }
        ),
        (
            "commit",
            { writer in
                try writer.writeWithoutTransaction { db in
                    try db.beginTransaction(.exclusive)
                    try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                    try db.commit()
                }
            }
        ),
    ]

    func testAVetoRollsBackAndThrowsItsError() throws {
        for way in ways {
            try onEachWriter { writer in
                let first = RecordingObserver()
                let objecting = RecordingObserver()
                let last = RecordingObserver()
                for observer in [first, objecting, last] { writer.add(transactionObserver: observer) }
                objecting.onWillCommit = { throw Objection() }
                XCTAssertThrowsError(try way.insert(writer), way.name) {
                    XCTAssertTrue($0 is Objection, "\(way.name): \($0)")
                }
                XCTAssertEqual(first.log, ["insert artist 1", "will commit"] + rollback, way.name)
                XCTAssertEqual(objecting.log, ["insert artist 1", "will commit"] + rollback, way.name)
                XCTAssertEqual(last.log, ["insert artist 1"] + rollback, way.name)
                XCTAssertEqual(try writer.count("artist"), 0)
                objecting.onWillCommit = {}
                try way.insert(writer)
                XCTAssertEqual(try writer.count("artist"), 1)
            }
        }
    }

    func testAFailedStatementOutsideATransactionReportsNothing() throws {
        try onEachObservedWriter { writer, observer in
            try writer.run("INSERT INTO artist VALUES (1, '')")
            _ = observer.takeLog()
            XCTAssertThrowsError(try writer.run("INSERT INTO artist VALUES (1, '')"))
            XCTAssertThrowsError(try writer.run("INSERT INTO album VALUES (1, 99, '')"))
            XCTAssertFalse(
                observer.log.contains { $0 == "rolled back" || $0 == "committed" }, "\(observer.log)")
            _ = observer.takeLog()
            try writer.run("INSERT INTO artist VALUES (2, '')")
            XCTAssertEqual(observer.log, ["insert artist 2"] + commit)
        }
    }

    func testAFailedTransactionIsRolledBackOnce() throws {
        try onEachObservedWriter { writer, observer in
            try writer.run("INSERT INTO artist VALUES (1, '')")
            _ = observer.takeLog()
            XCTAssertThrowsError(try writer.commit("INSERT INTO artist VALUES (1, '')"))
            XCTAssertEqual(observer.takeLog(), rollback)
            XCTAssertThrowsError(
                try writer.commit(
                    "INSERT INTO artist VALUES (2, ''); INSERT OR ROLLBACK INTO artist VALUES (1, '')"))
            XCTAssertEqual(observer.takeLog(), ["insert artist 2"] + rollback)
            XCTAssertEqual(try writer.count("artist"), 1)
        }
    }

    func testARollbackIsReported() throws {
        try onEachObservedWriter { writer, observer in
            try writer.run("BEGIN; INSERT INTO artist VALUES (1, ''); ROLLBACK")
            XCTAssertEqual(observer.takeLog(), ["insert artist 1"] + rollback)
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.rollback()
                try db.rollback()
            }
            XCTAssertEqual(observer.takeLog(), rollback)
        }
    }

    func testAnObserverAddedInsideATransactionIsNotifiedOfItsEnd() throws {
        try onEachWriter { writer in
            let committed = RecordingObserver()
            let rolledBack = RecordingObserver()
            try writer.write { db in
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                db.add(transactionObserver: committed)
                try db.execute(sql: "INSERT INTO artist VALUES (2, '')")
            }
            XCTAssertEqual(committed.log, ["insert artist 2"] + commit)
            writer.remove(transactionObserver: committed)
            try? writer.write { db in
                db.add(transactionObserver: rolledBack)
                throw Objection()
            }
            XCTAssertEqual(rolledBack.log, rollback)
            XCTAssertEqual(committed.log.count, 3)
        }
    }

    func testATransactionInsideAWriteFailsWithTheLibraryMessage() throws {
        try onEachObservedWriter { writer, observer in
            let message = "cannot start a transaction within a transaction"
            try writer.write { db in
                try db.execute(sql: "INSERT INTO artist VALUES (1, '')")
                assertDatabaseError(.SQLITE_ERROR, message) { try db.execute(sql: "BEGIN") }
                assertDatabaseError(.SQLITE_ERROR, message) { try db.beginTransaction() }
                assertDatabaseError(.SQLITE_ERROR, message) { try db.inTransaction { .commit } }
                XCTAssertTrue(db.isInsideTransaction)
            }
            XCTAssertEqual(observer.log, ["insert artist 1"] + commit)
        }
    }

    func testACommitThatForeignKeysForbidIsRolledBack() throws {
        let schema = """
            CREATE TABLE parent(id INTEGER PRIMARY KEY);
            CREATE TABLE child(parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
            """
        try onEachObservedWriter(schema: schema) { writer, observer in
            assertDatabaseError(.SQLITE_CONSTRAINT) { try writer.commit("INSERT INTO child VALUES (1)") }
            XCTAssertEqual(observer.takeLog(), ["insert child 1"] + rollback)
            XCTAssertEqual(try writer.count("child"), 0)
            try writer.commit("INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1)")
            XCTAssertEqual(observer.log, ["insert parent 1", "insert child 1"] + commit)
        }
    }
}
