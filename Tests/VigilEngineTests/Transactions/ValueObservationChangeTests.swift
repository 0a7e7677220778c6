import Vigil
import XCTest

/// Changes that value observations must not miss, and changes that must not match.
final class ValueObservationChangeTests: XCTestCase {
    private let unique = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE);
        INSERT INTO t VALUES (1, 'a'), (2, 'b');
        """

    /// Observes a query with the value `before`, runs `sql`, and waits for the value `after`.
    private func expect(
        _ query: String, _ before: String?, then sql: String, gives after: String?, schema: String,
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        try onEachWriter(schema: schema) { writer in
            let values = Values<String?>()
            let isInitial = expectation(description: "initial value")
            let isRight = expectation(description: "value of \(query)")
            isInitial.assertForOverFulfill = false
            isRight.assertForOverFulfill = false
            let cancellable = ValueObservation.tracking { db in try String.fetchOne(db, sql: query) }
                .start(
                    in: writer, scheduling: .inline,
                    onError: { XCTFail("\($0)", file: file, line: line) },
                    onChange: { value in
                        values.append(value)
                        isInitial.fulfill()
                        if value == after { isRight.fulfill() }
                    })
            wait(for: [isInitial], timeout: 5)
            try writer.run(sql)
            wait(for: [isRight], timeout: 5)
            XCTAssertEqual(values.all.first, before, file: file, line: line)
            cancellable.cancel()
        }
    }

    func testAReplacedRowIsDeleted() throws {
        let query = "SELECT a FROM t WHERE id = 1"
        try expect(
            query, "a", then: "INSERT OR REPLACE INTO t VALUES (5, 'a')", gives: nil, schema: unique)
        try expect(
            query, "a", then: "UPDATE OR REPLACE t SET a = 'a' WHERE id = 2", gives: nil, schema: unique)
    }

    func testAMovedRowChangesItsOldAndNewRowID() throws {
        let move = "UPDATE t SET id = 9 WHERE id = 1"
        try expect("SELECT a FROM t WHERE id = 1", "a", then: move, gives: nil, schema: unique)
        try expect("SELECT a FROM t WHERE id = 9", nil, then: move, gives: "a", schema: unique)
        try expect("SELECT CAST(MAX(id) AS TEXT) FROM t", "2", then: move, gives: "9", schema: unique)
    }

    func testTablesWithoutRowIDAreObserved() throws {
        let schema = """
            CREATE TABLE t(name TEXT PRIMARY KEY, a) WITHOUT ROWID;
            INSERT INTO t VALUES ('x', 1);
            """
        let query = "SELECT group_concat(name || a) FROM t"
        try expect(query, "x1", then: "UPDATE t SET a = 2", gives: "x2", schema: schema)
        try expect(query, "x1", then: "UPDATE t SET name = 'y'", gives: "y1", schema: schema)
        try expect(query, "x1", then: "REPLACE INTO t VALUES ('x', 3)", gives: "x3", schema: schema)
        try expect(query, "x1", then: "DELETE FROM t", gives: nil, schema: schema)
    }

    /// SQLite 3.40 reports the old message as a real, because the weight has its place in the primary key.
    func testLargeIntegersInTablesWithoutRowIDAreObserved() throws {
        let schema = """
            CREATE TABLE t(message INTEGER, weight REAL, user INTEGER, PRIMARY KEY (user, message))
            WITHOUT ROWID;
            INSERT INTO t VALUES (123456789012345679, 1.5, 3);
            """
        let query = "SELECT CAST(COUNT(*) AS TEXT) FROM t WHERE message = 123456789012345679"
        try expect(query, "1", then: "DELETE FROM t WHERE user = 3", gives: "0", schema: schema)
        try expect(query, "1", then: "UPDATE t SET message = 5", gives: "0", schema: schema)
    }

    func testTheNumberOfRowsIsObserved() throws {
        let query = "SELECT CAST(COUNT(*) AS TEXT) FROM t"
        try expect(query, "2", then: "INSERT INTO t VALUES (3, 'c')", gives: "3", schema: unique)
        try expect(query, "2", then: "DELETE FROM t WHERE id = 1", gives: "1", schema: unique)
        try expect(query, "2", then: "DELETE FROM T", gives: "0", schema: unique)
    }

    func testEffectsOfTriggersAndForeignKeysAreObserved() throws {
        let schema =
            twoTables + """
                CREATE TRIGGER note AFTER INSERT ON artist BEGIN UPDATE album SET title = NEW.name; END;
                INSERT INTO artist VALUES (1, 'a'); INSERT INTO album VALUES (1, 1, 'x');
                """
        let query = "SELECT title FROM album"
        try expect(query, "x", then: "INSERT INTO artist VALUES (2, 'b')", gives: "b", schema: schema)
        try expect(query, "x", then: "DELETE FROM artist WHERE id = 1", gives: nil, schema: schema)
    }

    func testAStatementThatDoesNotCompileYetIsRetried() throws {
        try onEachWriter(schema: "") { writer in
            let counts = Values<Int?>()
            let cancellable = ValueObservation.tracking { db in
                try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            }
            .start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { counts.append($0) })
            try writer.waitForFetches()
            try writer.run("CREATE TABLE t(a)")
            try writer.waitForFetches()
            XCTAssertEqual(counts.all, [nil, 0])
            try writer.run("INSERT INTO t VALUES (1)")
            try writer.waitForFetches()
            XCTAssertEqual(counts.all, [nil, 0, 1])
            cancellable.cancel()
        }
    }

    func testFullTextTablesAreObserved() throws {
        let schema = "CREATE VIRTUAL TABLE note USING fts4(body); INSERT INTO note VALUES ('one')"
        let query = "SELECT body FROM note WHERE note MATCH 'two'"
        try expect(query, nil, then: "INSERT INTO note VALUES ('two')", gives: "two", schema: schema)
        try expect(query, nil, then: "UPDATE note SET body = 'two'", gives: "two", schema: schema)
    }

    func testTablesOfTheSameNameInTwoDatabasesAreDistinct() throws {
        try onEachQueue(schema: unique) { dbQueue in
            try dbQueue.run("CREATE TEMP TABLE u(id INTEGER PRIMARY KEY, a); INSERT INTO u SELECT * FROM t")
            try dbQueue.run(
                "CREATE TABLE main.u(id INTEGER PRIMARY KEY, a); INSERT INTO main.u VALUES (1, 'x')")
            let values = Values<String?>()
            // The region is given, because old libraries do not report which of the two tables a query reads.
            let region = DatabaseRegion(table: TableName(schema: "temp", name: "u"))
            let cancellable = ValueObservation.tracking(region: region) { db in
                try String.fetchOne(db, sql: "SELECT a FROM temp.u")
            }
            .start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) }
            )
            try dbQueue.run("UPDATE main.u SET a = 'y'; UPDATE temp.u SET a = 'z'")
            XCTAssertEqual(values.all, ["a", "z"])
            cancellable.cancel()
        }
    }
}
