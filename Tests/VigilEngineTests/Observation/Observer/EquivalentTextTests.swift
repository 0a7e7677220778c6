import Vigil
import VigilEngine
import XCTest

/// Databases compare text by bytes: the two forms of `é` are different values, and equal strings in Swift.
final class EquivalentTextTests: XCTestCase {
    /// Observes the first column of a query, commits writes, and compares the values.
    private func expect<Value>(
        _ expected: [[Value]], of sql: String, schema: String, after writes: [String],
        line: UInt = #line
    ) throws where Value: DatabaseValueConvertible & Sendable & Equatable {
        try onEachQueue(schema: schema) { dbQueue in
            let values = Recorder<[Value]>()
            let cancellable = ValueObservation.tracking { db in try Value.fetchAll(db, sql: sql) }.start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            for write in writes { try dbQueue.write { db in try db.execute(sql: write) } }
            XCTAssertEqual(values.all, expected, line: line)
            cancellable.cancel()
        }
    }

    func testTheBoundOfAnEquivalentMaximum() throws {
        try expect(
            [["C3A9"], ["65CC81"], ["7A"]], of: "SELECT hex(MAX(name)) FROM t",
            schema: "CREATE TABLE t(name TEXT); INSERT INTO t VALUES ('\u{e9}')",
            after: ["UPDATE t SET name = 'e\u{301}'", "INSERT INTO t VALUES ('z')"])
    }

    func testAlternatives() throws {
        try expect(
            [[0, 0], [0, 1]],
            of: "SELECT score FROM player WHERE name = '\u{e9}' OR name = 'e\u{301}' ORDER BY id",
            schema: """
                CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
                INSERT INTO player VALUES (1, '\u{e9}', 0), (2, 'e\u{301}', 0);
                """,
            after: ["UPDATE player SET score = 1 WHERE id = 2"])
    }

    func testTheKeyOfARowThatMoves() throws {
        try expect(
            [["b", "a"], ["a", "b"]], of: "SELECT name FROM w",
            schema: """
                CREATE TABLE w(k TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
                INSERT INTO w VALUES ('\u{e9}', 'a'), ('f', 'b');
                """,
            after: ["UPDATE w SET k = 'e\u{301}' WHERE name = 'a'"])
    }

    func testGeneratedColumns() throws {
        try onEachQueue(schema: "") { dbQueue in
            let sql = "CREATE TABLE t(a, \"\u{e9}\" AS (a + 1), \"e\u{301}\" AS (a + 2))"
            // Older libraries have no generated columns.
            guard (try? dbQueue.write({ db in try db.execute(sql: sql) })) != nil else { return }
            let values = Recorder<Int?>()
            let cancellable = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT \"e\u{301}\" FROM t")
            }.start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            try dbQueue.write { db in try db.execute(sql: "INSERT INTO t(a) VALUES (1)") }
            try dbQueue.write { db in try db.execute(sql: "UPDATE t SET a = 2") }
            XCTAssertEqual(values.all, [nil, 3, 4])
            cancellable.cancel()
        }
    }

    func testTheBoundOfAColumnWithAnEquivalentName() throws {
        let columns = "\"\u{e9}\", \"e\u{301}\""
        try expect(
            [[1], [2], [3]], of: "SELECT \(columns) FROM t ORDER BY \"e\u{301}\" LIMIT 1",
            schema: """
                CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns)); INSERT INTO t VALUES (1, 1, 50), (2, 9, 60)
                """,
            after: [
                "INSERT INTO t(\(columns)) VALUES (2, 40)", "INSERT INTO t(\(columns)) VALUES (3, 30)",
            ])
    }
}
