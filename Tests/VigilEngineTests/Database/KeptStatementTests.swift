import Vigil
import XCTest

@testable import VigilEngine

/// Tests of the statements that a connection keeps for repeated SQL texts.
final class KeptStatementTests: XCTestCase {
    private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)"

    private func onEachConnection(
        _ count: Int = 100, _ body: (Database) throws -> Void
    ) throws {
        var configuration = Configuration()
        configuration.maximumKeptStatementCount = count
        try onEachQueue(configuration, schema: Self.schema) { dbQueue in
            try dbQueue.inDatabase(body)
        }
    }

    /// Returns whether a text runs the same compiled statement in two executions, with work between them.
    private func isKept(_ sql: String, _ db: Database, during body: () throws -> Void = {}) throws -> Bool {
        weak let first = try db.leaseStatement(sql: sql)
        try body()
        let second = try db.leaseStatement(sql: sql)
        return first === second
    }

    func testRepeatedTextsAreCompiledOnce() throws {
        try onEachConnection { db in
            for sql in [
                "SELECT * FROM t", "INSERT INTO t(name) VALUES ('a')", "WITH x AS (SELECT 1) SELECT * FROM x",
                "  \n select 1", "/* comment */ SELECT 1; ", "-- comment\nSELECT 1", "VALUES (1)",
            ] {
                XCTAssertTrue(try isKept(sql, db), sql)
            }
            for id in 1...3 {
                try db.execute(sql: "INSERT OR REPLACE INTO t VALUES (?, ?)", arguments: [id, "n\(id)"])
                let name = try String.fetchOne(db, sql: "SELECT name FROM t WHERE id = ?", arguments: [id])
                XCTAssertEqual(name, "n\(id)")
            }
        }
    }

    func testStatementsThatAreNotReusableAreNotKept() throws {
        try onEachConnection { db in
            for sql in [
                "PRAGMA table_info(t)", "EXPLAIN SELECT * FROM t", "SAVEPOINT s",
                "-- comment\nPRAGMA user_version",
                "SELECT '\(String(repeating: "a", count: 20_000))'",
            ] {
                XCTAssertFalse(try isKept(sql, db), String(sql.prefix(20)))
            }
        }
    }

    func testNestedUsesOfATextHaveTheirOwnStatements() throws {
        try onEachConnection { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
            let sql = "SELECT id FROM t WHERE id >= ? ORDER BY id"
            var found: [[Int]] = []
            let outer = try Int.fetchCursor(db, sql: sql, arguments: [1])
            while let id = try outer.next() {
                found.append(try Int.fetchAll(db, sql: sql, arguments: [id]))
            }
            XCTAssertEqual(found, [[1, 2], [2]])
        }
    }

    func testACursorThatIsNotFinishedKeepsItsArguments() throws {
        try onEachConnection { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
            let sql = "SELECT name FROM t WHERE id > ? ORDER BY id"
            let cursor = try String.fetchCursor(db, sql: sql, arguments: [1])
            XCTAssertEqual(try String.fetchAll(db, sql: sql, arguments: [0]), ["a", "b", "c"])
            XCTAssertEqual(try cursor.next(), "b")
            XCTAssertEqual(try String.fetchOne(db, sql: sql, arguments: [2]), "c")
            XCTAssertEqual(try cursor.next(), "c")
            XCTAssertNil(try cursor.next())
        }
    }

    func testStatementsOfTheProgramAreNeverShared() throws {
        try onEachConnection { db in
            let sql = "SELECT ? + 1"
            let made = try db.makeStatement(sql: sql)
            let cached = try db.cachedStatement(sql: sql)
            try made.setArguments([10])
            try cached.setArguments([20])
            XCTAssertEqual(try Int.fetchOne(db, sql: sql, arguments: [1]), 2)
            XCTAssertEqual(try Int.fetchOne(made), 11)
            XCTAssertEqual(try Int.fetchOne(cached), 21)
        }
    }

    func testTheOldestStatementIsReleased() throws {
        try onEachConnection(2) { db in
            _ = try Row.fetchAll(db, sql: "SELECT 1")
            _ = try Row.fetchAll(db, sql: "SELECT 2")
            XCTAssertTrue(try isKept("SELECT 1", db))
            XCTAssertFalse(
                try isKept("SELECT 2", db) {
                    _ = try Row.fetchAll(db, sql: "SELECT 1")
                    _ = try Row.fetchAll(db, sql: "SELECT 3")
                })
        }
        try onEachConnection(0) { db in XCTAssertFalse(try isKept("SELECT 1", db)) }
    }

    func testTheTextsHaveALimitedLengthInTotal() throws {
        func text(_ number: Int) -> String { "SELECT \(number), '\(String(repeating: "a", count: 10_000))'" }
        let count = StatementCache.maximumTotalLength / 10_000
        try onEachConnection { db in
            for number in 0...count { _ = try Row.fetchAll(db, sql: text(number)) }
            XCTAssertTrue(try isKept(text(count), db))
            XCTAssertFalse(db.statementCaches.kept.contains(text(0)))
        }
    }

    func testMemoryIsReleased() throws {
        try onEachQueue(schema: Self.schema) { dbQueue in
            try dbQueue.inDatabase { db in
                XCTAssertFalse(try isKept("SELECT 1", db) { db.releaseMemory() })
                XCTAssertTrue(try isKept("SELECT 1", db))
            }
        }
    }

    func testOtherStatementsMayChangeTheMeaningOfATextAndReleaseIt() throws {
        try onEachConnection { db in
            for change in [
                "PRAGMA case_sensitive_like = 1", "CREATE TABLE u(a)", "ATTACH ':memory:' AS other",
                "DROP TABLE u",
                "DETACH other",
            ] {
                XCTAssertFalse(try isKept("SELECT 1", db) { try db.execute(sql: change) }, change)
            }
            XCTAssertTrue(try isKept("SELECT 1", db) { try db.execute(sql: "BEGIN; COMMIT") })
        }
    }

    func testUsesOfTheLibrarysHandleReleaseStatements() throws {
        try onEachConnection { db in
            XCTAssertFalse(
                try isKept("SELECT 1", db) {
                    try db.withUnreportedChanges({}, doubtfulConditions: { nil })
                })
        }
    }

    func testTheMeaningOfATextFollowsTheSchemaOfAnotherConnection() throws {
        for (name, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            let path = directory.file("database.sqlite")
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try other.inDatabase { db in try db.execute(sql: Self.schema) }
            let pool = try DatabasePool(path: path, configuration: configuration)
            func columns() throws -> [[String]] {
                func columns(_ db: Database) throws -> [String] {
                    try db.execute(sql: "INSERT INTO t(name) VALUES ('a')")
                    return try Row.fetchOne(db, sql: "SELECT * FROM t").map { Array($0.columnNames) } ?? []
                }
                return [
                    try pool.writeWithoutTransaction { try columns($0) },
                    try pool.read { db in
                        try Row.fetchOne(db, sql: "SELECT * FROM t").map { Array($0.columnNames) } ?? []
                    },
                ]
            }
            XCTAssertEqual(try columns(), [["id", "name"], ["id", "name"]], name)
            try other.inDatabase { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN c") }
            XCTAssertEqual(try columns(), [["id", "name", "c"], ["id", "name", "c"]], name)
            try pool.close()
        }
    }

    func testTheMeaningOfATextFollowsTheSchema() throws {
        try onEachConnection { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 'main')")
            func names() throws -> [String] { try String.fetchAll(db, sql: "SELECT name FROM t") }
            XCTAssertEqual(try names(), ["main"])
            try db.execute(sql: "CREATE TEMP TABLE t AS SELECT 2 AS id, 'temp' AS name")
            XCTAssertEqual(try names(), ["temp"])
            try db.execute(sql: "DROP TABLE temp.t")
            XCTAssertEqual(try names(), ["main"])
            try db.execute(sql: "DROP TABLE t")
            XCTAssertThrowsError(try names())
            try db.execute(sql: "CREATE TABLE t(name); INSERT INTO t VALUES ('new')")
            XCTAssertEqual(try names(), ["new"])
        }
    }

    func testReplacedFunctionsAndCollationsAreUsed() throws {
        try onEachConnection { db in
            func values() throws -> [String] {
                try String.fetchAll(
                    db, sql: "SELECT f(v) FROM (SELECT 'a' AS v UNION SELECT 'b') ORDER BY v COLLATE c")
            }
            for (suffix, ascends) in [("1", true), ("2", false)] {
                db.add(
                    function: DatabaseFunction("f", argumentCount: 1) {
                        "\($0[0].storage.value ?? "")\(suffix)"
                    })
                db.add(
                    collation: DatabaseCollation("c") { ascends ? $0.compare($1) : $1.compare($0) })
                let letters = ascends ? ["a", "b"] : ["b", "a"]
                XCTAssertEqual(try values(), letters.map { $0 + suffix })
            }
        }
    }

    func testMoreSpecificFunctionsAreUsed() throws {
        try onEachConnection { db in
            db.add(function: DatabaseFunction("f") { "any \($0.count)" })
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT f(1)"), "any 1")
            db.add(function: DatabaseFunction("f", argumentCount: 1) { _ in "one" })
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT f(1)"), "one")
        }
    }

    func testFailedStatementsThatAreNotReusableReleaseTheOthers() throws {
        try onEachConnection { db in
            XCTAssertFalse(
                try isKept("SELECT 1", db) {
                    XCTAssertThrowsError(try db.execute(sql: "DETACH missing"))
                })
        }
    }

    func testErrorsOfRepeatedTextsAreThoseOfTheFirst() throws {
        for count in [100, 0] {
            try onEachConnection(count) { db in
                for _ in 0..<2 {
                    assertDatabaseError(.SQLITE_MISUSE, "wrong number of statement arguments: 3") {
                        try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [1, "a", 2])
                    }
                    assertDatabaseError(.SQLITE_MISUSE, "wrong number of statement arguments: 1") {
                        try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [1])
                    }
                }
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            }
        }
    }

    func testARepeatedTextThrowsTheErrorOfAFunctionThatCouldNotBeAdded() throws {
        try onEachConnection { db in
            _ = try Int.fetchOne(db, sql: "SELECT 1")
            db.add(function: DatabaseFunction(String(repeating: "f", count: 300)) { _ in nil })
            XCTAssertThrowsError(try Int.fetchOne(db, sql: "SELECT 1"))
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT 1"), 1)
        }
    }

    func testPreviousDeletionsOfAllRowsAreReportedByRowOnceObserved() throws {
        try onEachQueue(schema: Self.schema) { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
                try db.execute(sql: "DELETE FROM t")
                try db.execute(sql: "INSERT INTO t VALUES (1, 'a')")
            }
            let counts = Recorder<Int>()
            let cancellable = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE id = 1") ?? 0
            }
            .start(
                in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { counts.append($0) })
            try dbQueue.write { db in try db.execute(sql: "DELETE FROM t") }
            XCTAssertEqual(counts.wait(count: 2), [1, 0])
            cancellable.cancel()
        }
    }
}
