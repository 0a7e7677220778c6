import Vigil
import XCTest

final class StatementTests: XCTestCase {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
            try body(db)
        }
    }

    private func assertMisuse(
        _ message: String, line: UInt = #line, _ body: () throws -> Void
    ) {
        XCTAssertThrowsError(try body(), line: line) { error in
            XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE, line: line)
            XCTAssertEqual((error as? DatabaseError)?.message, message, line: line)
        }
    }

    func testStatementDescribesItself() throws {
        try inDatabase { db in
            let select = try db.makeStatement(sql: "  SELECT id, name AS Name FROM t ;\n")
            XCTAssertEqual(select.sql, "SELECT id, name AS Name FROM t")
            XCTAssertEqual("\(select)", select.sql)
            XCTAssertEqual(select.columnNames, ["id", "Name"])
            XCTAssertEqual(select.columnCount, 2)
            XCTAssertEqual(select.index(ofColumn: "NAME"), 1)
            XCTAssertNil(select.index(ofColumn: "score"))
            XCTAssertTrue(select.isReadonly)
            XCTAssertEqual(select.databaseRegion.description, "t(id,name)")
            XCTAssertFalse(select.invalidatesDatabaseSchemaCache)
            let create = try db.makeStatement(sql: "CREATE TABLE u(id)")
            XCTAssertFalse(create.isReadonly)
            XCTAssertTrue(create.invalidatesDatabaseSchemaCache)
            XCTAssertEqual(create.columnCount, 0)
        }
    }

    func testRegionContainsViews() throws {
        try inDatabase { db in
            try db.execute(sql: "CREATE VIEW v AS SELECT name FROM t")
            XCTAssertEqual(
                try db.makeStatement(sql: "SELECT * FROM v").databaseRegion.description, "t(name),v(name)")
        }
    }

    func testTheRegionOfACountEqualsThatOfTheTable() throws {
        try inDatabase { db in
            let region = try db.makeStatement(sql: "SELECT COUNT(*) FROM T").databaseRegion
            XCTAssertEqual(region, DatabaseRegion(table: "t"))
            XCTAssertEqual(region, try Table("t").databaseRegion(db))
        }
    }

    func testArgumentsRemainForTheNextRun() throws {
        try inDatabase { db in
            let insert = try db.makeStatement(sql: "INSERT INTO t(name) VALUES (:name)")
            try insert.execute(arguments: ["name": "a"])
            try insert.execute()
            insert.arguments = ["b"]
            try insert.execute()
            XCTAssertEqual(insert.arguments, ["b"])
            XCTAssertEqual(try String.fetchAll(db, sql: "SELECT name FROM t"), ["a", "a", "b"])
        }
    }

    func testStatementDoesNotRunWithWrongArguments() throws {
        try inDatabase { db in
            let insert = try db.makeStatement(sql: "INSERT INTO t(name) VALUES (:name)")
            assertMisuse("missing statement argument: name") { try insert.execute() }
            assertMisuse("wrong number of statement arguments: 2") {
                try insert.execute(arguments: ["a", "b"])
            }
            insert.arguments = [1, 2, 3]
            assertMisuse("wrong number of statement arguments: 3") { try insert.execute() }
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
        }
    }

    func testValidatingArgumentsDoesNotSetThem() throws {
        try inDatabase { db in
            let select = try db.makeStatement(sql: "SELECT ?")
            try select.setArguments([1])
            XCTAssertNoThrow(try select.validateArguments([2]))
            assertMisuse("wrong number of statement arguments: 0") { try select.validateArguments([]) }
            XCTAssertEqual(try Int.fetchOne(select), 1)
        }
    }

    func testUncheckedArgumentsLeaveMissingParametersNull() throws {
        try inDatabase { db in
            let select = try db.makeStatement(sql: "SELECT ? AS a, :b AS b, ? AS c")
            select.setUncheckedArguments([1])
            XCTAssertEqual(try Row.fetchOne(select), ["a": 1, "b": nil, "c": nil])
            select.setUncheckedArguments(["b": 2, "z": 9])
            XCTAssertEqual(try Row.fetchOne(select), ["a": nil, "b": 2, "c": nil])
            select.setUncheckedArguments([1, 2, 3, 4])
            XCTAssertEqual(try Row.fetchOne(select), ["a": 1, "b": 2, "c": 3])
        }
    }

    func testAllStatementsCompilesLazily() throws {
        try inDatabase { db in
            let statements = try db.allStatements(
                sql: "CREATE TABLE u(a); INSERT INTO u VALUES (?) ; -- done\n", arguments: [1])
            let create = try XCTUnwrap(statements.next())
            XCTAssertEqual(create.sql, "CREATE TABLE u(a)")
            try create.execute()
            let insert = try XCTUnwrap(statements.next())
            XCTAssertEqual(insert.arguments, [1])
            try insert.execute()
            XCTAssertNil(try statements.next())
            XCTAssertEqual(try Int.fetchAll(db, sql: "SELECT a FROM u"), [1])
        }
    }

    func testStatementsOfATextConsumeArgumentsInOrder() throws {
        try inDatabase { db in
            try db.execute(
                sql: "INSERT INTO t(name) VALUES (?); INSERT INTO t(name) VALUES (?)", arguments: ["a", "b"])
            try db.execute(
                sql: "INSERT INTO t(name) VALUES (:n); INSERT INTO t(name) VALUES (:n || 'x')",
                arguments: ["n": "c"])
            XCTAssertEqual(try String.fetchAll(db, sql: "SELECT name FROM t"), ["a", "b", "c", "cx"])
            assertMisuse("wrong number of statement arguments: 1") {
                try db.execute(sql: "SELECT 1", arguments: [1])
            }
            XCTAssertThrowsError(try db.execute(sql: "SELECT ?; SELECT ?", arguments: [1, 2, 3])) { error in
                let text = String(reflecting: error)
                XCTAssertTrue(text.contains("arguments: 3 (2 needed)"), text)
            }
            let later = try db.allStatements(sql: "SELECT ?; SELECT ?")
            XCTAssertEqual(try Int.fetchOne(XCTUnwrap(later.next()), arguments: [1]), 1)
        }
    }

    func testErrorsOfArgumentCountsNameTheStatementThatTheyBelongTo() throws {
        try inDatabase { db in
            let insert = "INSERT INTO t(name) VALUES (?)"
            let cases: [(sql: String, arguments: StatementArguments, text: String)] = [
                ("", [1], "1"),
                ("\(insert); \(insert);", ["a", "b", "c"], "3"),
                ("\(insert); \(insert);", ["d"], "0 - while executing `\(insert)`"),
                (insert, ["e", "f"], "2 - while executing `\(insert)`"),
                ("\(insert); -- one", ["g", "h"], "2 - while executing `\(insert)`"),
            ]
            for (sql, arguments, text) in cases {
                XCTAssertThrowsError(try db.execute(sql: sql, arguments: arguments), sql) { error in
                    XCTAssertEqual(
                        "\(error)", "SQLite error 21: wrong number of statement arguments: \(text)")
                }
            }
        }
    }

    func testMakeStatementRequiresExactlyOneStatement() throws {
        // Programs compare the published message.
        let message = """
            Multiple statements found. To execute multiple statements, use Database.execute(sql:) or \
            Database.allStatements(sql:) instead.
            """
        try inDatabase { db in
            for sql in ["SELECT 1; SELECT 2", "SELECT 1; SELEC"] {
                assertMisuse(message) {
                    _ = try db.makeStatement(sql: sql)
                }
            }
            XCTAssertNoThrow(try db.makeStatement(sql: "SELECT 1; -- two"))
            XCTAssertThrowsError(try db.makeStatement(sql: " -- nothing")) { error in
                XCTAssertEqual((error as? DatabaseError)?.message, "empty statement")
            }
        }
    }

    func testCachedStatementIsReusedUnlessItIsBeingRead() throws {
        try inDatabase { db in
            let sql = "SELECT 1 UNION ALL SELECT 2"
            let kept = try db.cachedStatement(sql: sql)
            XCTAssertTrue(try db.cachedStatement(sql: sql) === kept)
            let cursor = try Int.fetchCursor(kept)
            XCTAssertEqual(try cursor.next(), 1)
            XCTAssertEqual(try Int.fetchAll(db.cachedStatement(sql: sql)), [1, 2])
            XCTAssertEqual(try cursor.next(), 2)
            XCTAssertNil(try cursor.next())
            XCTAssertTrue(try db.cachedStatement(sql: sql) === kept)
        }
    }
}
