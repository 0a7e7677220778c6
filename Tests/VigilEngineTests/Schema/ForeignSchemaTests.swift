import Vigil
import XCTest

/// Schema changes by another connection must not make this connection miss changes.
final class ForeignSchemaTests: XCTestCase {
    private func observe(_ sql: String, in dbQueue: DatabaseQueue, _ values: Values<Int>)
        -> AnyDatabaseCancellable
    {
        ValueObservation.tracking { db in try Int.fetchOne(db, sql: sql) ?? -1 }
            .start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) }
            )
    }

    func testColumnsSwappedByAnotherConnectionAreObservedUnderTheirNewNames() throws {
        try XCTSkipIf(Database.sqliteLibVersionNumber < 3_025_000, "this library cannot rename columns")
        let directory = try TemporaryDirectory()
        let dbQueue = try DatabaseQueue(path: directory.file("db"))
        try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)") }
        let old = observe("SELECT b FROM t", in: dbQueue, Values<Int>())
        // From now on, the driver has cached the columns.
        try dbQueue.write { db in try db.execute(sql: "UPDATE t SET a = 2") }
        let other = try DatabaseQueue(path: directory.file("db"))
        try other.write { db in
            try db.execute(
                sql: """
                    ALTER TABLE t RENAME COLUMN a TO x; ALTER TABLE t RENAME COLUMN b TO a;
                    ALTER TABLE t RENAME COLUMN x TO b;
                    """)
        }
        let values = Values<Int>()
        let new = observe("SELECT b FROM t", in: dbQueue, values)
        try dbQueue.write { db in try db.execute(sql: "UPDATE t SET b = 5") }
        XCTAssertEqual(values.all, [2, 5])
        old.cancel()
        new.cancel()
    }

    func testATableRecreatedBetweenObservationsIsObservedInItsCurrentForm() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)") }
        let old = observe("SELECT b FROM t", in: dbQueue, Values<Int>())
        try dbQueue.write { db in try db.execute(sql: "UPDATE t SET a = 2") }
        old.cancel()
        try dbQueue.write { _ in }
        try dbQueue.write { db in
            try db.execute(sql: "DROP TABLE t; CREATE TABLE t(b, a); INSERT INTO t VALUES (2, 3)")
        }
        let values = Values<Int>()
        let new = observe("SELECT b FROM t", in: dbQueue, values)
        try dbQueue.write { db in try db.execute(sql: "UPDATE t SET b = 5") }
        XCTAssertEqual(values.all, [2, 5])
        new.cancel()
    }

    func testAViewChangedByAnotherConnectionIsObservedThroughItsNewTable() throws {
        let directory = try TemporaryDirectory()
        let dbQueue = try DatabaseQueue(path: directory.file("db"))
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE one(a); CREATE TABLE two(a); INSERT INTO one VALUES (1); INSERT INTO two VALUES (2);
                    CREATE VIEW v AS SELECT a FROM one;
                    """)
            _ = try db.cachedStatement(sql: "SELECT a FROM v")
        }
        let other = try DatabaseQueue(path: directory.file("db"))
        try other.write { db in try db.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT a FROM two") }
        let values = Values<Int>()
        let cancellable =
            ValueObservation
            .tracking { db in try Int.fetchOne(db.cachedStatement(sql: "SELECT a FROM v")) ?? -1 }
            .start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) }
            )
        try dbQueue.write { db in try db.execute(sql: "UPDATE two SET a = 3") }
        XCTAssertEqual(values.all, [2, 3])
        cancellable.cancel()
    }

    func testAGivenRegionIsThatOfAViewChangedByAnotherConnection() throws {
        for inWrite in [false, true] {
            let directory = try TemporaryDirectory()
            let path = directory.file("db")
            let writers: [any DatabaseWriter] = [
                try DatabasePool(path: path), try DatabaseQueue(path: path),
            ]
            try writers[0].write { db in
                try db.execute(
                    sql: "CREATE TABLE one(a); CREATE TABLE two(a); CREATE VIEW v AS SELECT a FROM one")
            }
            // From now on, both libraries know the view.
            for writer in writers {
                try writer.writeWithoutTransaction { db in _ = try Int.fetchOne(db, sql: "SELECT a FROM v") }
            }
            let other = try DatabaseQueue(path: path)
            try other.write { db in try db.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT a FROM two") }
            let notified = FetchCount()
            let observation = DatabaseRegionObservation(tracking: SQLRequest<Int>(sql: "SELECT a FROM v"))
            for (index, writer) in writers.enumerated() {
                func start() -> AnyDatabaseCancellable {
                    observation.start(
                        in: writer, onError: { XCTFail("\($0)") }, onChange: { _ in notified.add() })
                }
                let cancellable = try inWrite ? writer.write { _ in start() } : start()
                try writer.write { db in try db.execute(sql: "INSERT INTO two VALUES (1)") }
                XCTAssertEqual(notified.count, index + 1, "\(writer), in a write: \(inWrite)")
                cancellable.cancel()
            }
        }
    }
}
