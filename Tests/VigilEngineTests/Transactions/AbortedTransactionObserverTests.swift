import Vigil
import XCTest

/// Statements of observers that run when a transaction ends before its block. They belong to no block.
final class AbortedTransactionObserverTests: XCTestCase {
    private let schema = twoTables + "INSERT INTO artist VALUES (1, '');"
    private let insert = "INSERT INTO artist VALUES (2, '')"

    /// The ways in which a block commits its insertion.
    private let ways: [(name: String, write: (any DatabaseWriter, String) throws -> Void)] = [
        ("write", { writer, sql in try writer.write { db in try db.execute(sql: sql) } }),
        ("COMMIT", { writer, sql in try? writer.write { db in try db.execute(sql: "\(sql); COMMIT") } }),
        (
            "commit()",
            { writer, sql in
                try? writer.write { db in
                    try db.execute(sql: sql)
                    try db.commit()
                }
            }
        ),
        (
            "inSavepoint",
            { writer, sql in
                try writer.writeWithoutTransaction { db in
                    try db.inSavepoint {
                        try db.execute(sql: sql)
                        return .commit
                    }
                }
            }
        ),
    ]

    func testObserversRunStatementsAfterACommit() throws {
        for way in ways {
            try onEachWriter(schema: schema) { writer in
                let observer = RecordingObserver()
                let counts = Values<Int>()
                observer.onCommit = { db in
                    assertNoError {
                        counts.append(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist") ?? -1)
                        observer.onCommit = { _ in }
                        try db.inTransaction {
                            try db.execute(sql: "INSERT INTO album VALUES (1, 2, '')")
                            return .commit
                        }
                        try db.execute(sql: "INSERT INTO album VALUES (2, 2, '')")
                    }
                }
                writer.add(transactionObserver: observer)
                try way.write(writer, insert)
                XCTAssertEqual(counts.all, [2], way.name)
                XCTAssertEqual(try writer.count("album"), 2, way.name)
            }
        }
    }

    func testObserversRunStatementsAfterARollback() throws {
        let endings: [(Database) throws -> Void] = [
            { try $0.execute(sql: "ROLLBACK") }, { try $0.rollback() },
            { try $0.execute(sql: "INSERT OR ROLLBACK INTO artist VALUES (1, '')") },
            { _ in throw Objection() },
        ]
        for end in endings {
            try onEachObservedWriter(schema: schema) { writer, observer in
                let counts = Values<Int>()
                observer.onRollback = { db in
                    assertNoError {
                        counts.append(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist") ?? -1)
                    }
                }
                XCTAssertThrowsError(
                    try writer.write { db in
                        try db.execute(sql: self.insert)
                        try? end(db)
                        try db.execute(sql: "SELECT 1")
                        throw Objection()
                    })
                XCTAssertEqual(counts.all, [1])
            }
        }
    }

    func testAfterNextTransactionRunsStatements() throws {
        for way in ways {
            try onEachWriter(schema: schema) { writer in
                let counts = Values<Int>()
                writer.writeWithoutTransaction { db in
                    db.afterNextTransaction { db in
                        assertNoError {
                            counts.append(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist") ?? -1)
                        }
                    }
                }
                try way.write(writer, insert)
                XCTAssertEqual(counts.all, [2], way.name)
            }
        }
    }

    func testObservationsFetchAfterACommitInTheMiddleOfABlock() throws {
        for way in ways {
            try onEachWriter(schema: schema) { writer in
                let regionCounts = Values<Int>()
                let region = DatabaseRegionObservation(tracking: DatabaseRegion(table: "artist"))
                    .start(in: writer, onError: { XCTFail("\($0)") }) { db in
                        assertNoError {
                            regionCounts.append(
                                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist") ?? -1)
                        }
                    }
                let seen = expectation(description: "two rows")
                let values = ValueObservation.tracking { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM artist") ?? -1
                }
                .start(in: writer, scheduling: .inline, onError: { XCTFail("\($0)") }) { count in
                    if count == 2 { seen.fulfill() }
                }
                try way.write(writer, insert)
                wait(for: [seen], timeout: testTimeout)
                XCTAssertEqual(regionCounts.all, [2], way.name)
                region.cancel()
                values.cancel()
            }
        }
    }

    func testABlockStaysAbortedAfterItsObserversHaveRun() throws {
        try onEachObservedWriter(schema: schema) { writer, observer in
            observer.onCommit = { db in
                observer.onCommit = { _ in }
                assertNoError { try db.inTransaction { .commit } }
            }
            try? writer.write { db in
                try db.execute(sql: "\(self.insert); COMMIT")
                assertDatabaseError(.SQLITE_ABORT, "Transaction was aborted") {
                    try db.execute(sql: "SELECT 1")
                }
            }
        }
    }
}
