import Vigil
import XCTest

@testable import VigilEngine

/// Names and texts that are equal as Swift strings, but different to SQLite.
final class EquivalentNamesTests: XCTestCase {
    /// `é` as one code point, and as two.
    private let (one, two) = ("\u{E9}", "e\u{301}")

    func testCachedStatementsOfEquivalentTextsAreDistinct() throws {
        XCTAssertEqual(one, two)
        try onEachWriter(schema: "") { writer in
            try writer.writeWithoutTransaction { db in
                for _ in 0..<2 {
                    for text in [one, two] {
                        let statement = try db.cachedStatement(sql: "SELECT '\(text)'")
                        let found = try String.fetchOne(statement)
                        XCTAssertEqual(found.map { Array($0.utf8) }, Array(text.utf8))
                        XCTAssertTrue(statement === (try db.cachedStatement(sql: "SELECT '\(text)'")))
                    }
                }
                for text in [one, two] {
                    let request = SQLRequest<String>(sql: "SELECT '\(text)'", cached: true)
                    XCTAssertEqual(try request.fetchOne(db).map { Array($0.utf8) }, Array(text.utf8))
                }
            }
        }
    }

    func testEquivalentTableAndColumnNamesAreDistinct() throws {
        let schema = """
            CREATE TABLE "\(one)"(id INTEGER PRIMARY KEY, "\(one)", "\(two)");
            CREATE TABLE "\(two)"(id INTEGER PRIMARY KEY, a UNIQUE);
            CREATE TABLE t(id INTEGER PRIMARY KEY, a, "\(one)" UNIQUE, "\(two)");
            INSERT INTO "\(one)" VALUES (1, 'x', 'y'); INSERT INTO "\(two)" VALUES (1, 'z');
            INSERT INTO t VALUES (1, 'a', 'b', 'c');
            """
        let queries = [
            "SELECT \"\(one)\" FROM \"\(one)\"", "SELECT \"\(two)\" FROM \"\(one)\"",
            "SELECT a FROM \"\(two)\"", "SELECT \"\(one)\", \"\(two)\" FROM t", "SELECT \"\(two)\" FROM t",
            "SELECT a FROM t WHERE \"\(two)\" = 'c'",
        ]
        let writes = [
            ("UPDATE \"\(one)\" SET \"\(one)\" = 1", [0]), ("UPDATE \"\(one)\" SET \"\(two)\" = 2", [1]),
            ("UPDATE \"\(two)\" SET a = 3", [2]), ("UPDATE t SET \"\(one)\" = 4", [3]),
            ("UPDATE t SET \"\(two)\" = 5", [3, 4, 5]),
        ]
        for ignoresNoOpUpdates in [true, false] {
            var configuration = Configuration()
            configuration.ignoresNoOpUpdates = ignoresNoOpUpdates
            try onEachQueue(configuration, schema: schema) { dbQueue in
                let values = queries.map { _ in Values<[String]>() }
                let cancellables = queries.indices.map { index in
                    ValueObservation.tracking { db in
                        try Row.fetchAll(db, sql: queries[index]).map { "\($0.databaseValues)" }
                    }
                    .start(
                        in: dbQueue, scheduling: .inline, onError: { XCTFail("\($0)") },
                        onChange: { values[index].append($0) })
                }
                for (write, observed) in writes {
                    let before = values.map(\.all.count)
                    try dbQueue.run(write)
                    for index in queries.indices {
                        let fresh = try dbQueue.read { db in
                            try Row.fetchAll(db, sql: queries[index]).map { "\($0.databaseValues)" }
                        }
                        XCTAssertEqual(values[index].all.last, fresh, "\(write): \(queries[index])")
                        if observed.contains(index) {
                            XCTAssertGreaterThan(values[index].all.count, before[index], write)
                        }
                    }
                }
                cancellables.forEach { $0.cancel() }
            }
        }
    }

    func testTheSchemaDistinguishesEquivalentNames() throws {
        let schema = """
            CREATE TABLE "\(one)"(a PRIMARY KEY); CREATE TABLE "\(two)"(b PRIMARY KEY, "\(one)" UNIQUE, "\(two)");
            """
        try onEachWriter(schema: schema) { writer in
            try writer.writeWithoutTransaction { db in
                for _ in 0..<2 {
                    XCTAssertEqual(try db.primaryKey(one).columns, ["a"])
                    XCTAssertEqual(try db.primaryKey(two).columns, ["b"])
                }
                XCTAssertTrue(try db.table(two, hasUniqueKey: [one]))
                XCTAssertFalse(try db.table(two, hasUniqueKey: [two]))
                XCTAssertNotEqual(TableName(name: one), TableName(name: two))
                XCTAssertNotEqual(DatabaseRegion(table: one), DatabaseRegion(table: two))
                XCTAssertNotEqual(
                    DatabaseFunction(one) { _ in nil }.id, DatabaseFunction(two) { _ in nil }.id)
                let collations = [one, two].map { DatabaseCollation($0) { _, _ in .orderedSame } }
                XCTAssertNotEqual(collations[0].id, collations[1].id)
                XCTAssertFalse("li\u{212A}e".isSameName(as: "like"))
                XCTAssertFalse("\u{212A}EY".isSameName(as: "KEY"))
            }
        }
    }

    func testArgumentsMatchParameterNamesExactly() throws {
        try onEachWriter(
            schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 5, 6)"
        ) {
            writer in
            let arguments = StatementArguments([(one, 5), (two, 6)] as [(String, Int?)])
            let sql = "SELECT id FROM t WHERE a = :\(one) AND b = :\(two)"
            let values = Values<Int?>()
            let cancellable = ValueObservation.tracking { db in
                try Int.fetchOne(db, sql: sql, arguments: arguments)
            }
            .start(
                in: writer, scheduling: .inline, onError: { XCTFail("\($0)") },
                onChange: { values.append($0) })
            try writer.waitForFetches()
            try writer.run("UPDATE t SET a = 7")
            try writer.waitForFetches()
            try writer.run("UPDATE t SET a = 5")
            try writer.waitForFetches()
            XCTAssertEqual(values.all, [1, nil, 1])
            cancellable.cancel()
            assertDatabaseError(.SQLITE_MISUSE) {
                try writer.writeWithoutTransaction { db in
                    try Int.fetchOne(db, sql: "SELECT :\(one)", arguments: [two: 1])
                }
            }
        }
    }

    func testRegionsUseTheNamesOfTheSchema() throws {
        let schema = "CREATE TABLE foo(id INTEGER PRIMARY KEY, name TEXT)"
        try onEachWriter(schema: schema) { writer in
            try writer.writeWithoutTransaction { db in
                let expected = [
                    ("SELECT * FROM FOO", "foo(id,name)", "foo(id,name)"),
                    ("SELECT NAME FROM FOO", "foo(name)", "foo(name)"),
                    ("SELECT ID FROM FOO", "foo(*)", "foo(*)"),
                    ("SELECT COUNT(*) FROM FOO", "FOO(*)", "foo(*)"),
                ]
                // An old library reports the row ID as a column.
                let narrows =
                    try db.makeStatement(sql: "SELECT id FROM foo").databaseRegion
                    .description == "foo(*)"
                for (sql, read, observed) in expected where narrows || sql != "SELECT ID FROM FOO" {
                    let statement = try db.makeStatement(sql: sql)
                    XCTAssertEqual(statement.databaseRegion.description, read, sql)
                    XCTAssertEqual(try statement.observedRegion(db).description, observed, sql)
                }
            }
        }
    }
}
