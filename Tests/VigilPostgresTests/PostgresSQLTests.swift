import VigilStorage
import XCTest

@testable import VigilPostgres

final class PostgresSQLTests: XCTestCase {
    private func parse(_ sql: String, from offset: Int = 0) throws -> PostgresSQL {
        try XCTUnwrap(PostgresSQL.first(in: sql, fromUTF8Offset: offset))
    }

    private func assertServerText(
        _ sql: String, _ expected: String, parameters: [Int] = [], file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        let statement = try parse(sql)
        XCTAssertEqual(statement.serverText, expected, file: file, line: line)
        XCTAssertEqual(statement.serverParameters, parameters, file: file, line: line)
    }

    // MARK: - Parameters

    func testQuestionMarksAreNumberedInOrder() throws {
        try assertServerText("SELECT ?, ? + ?", "SELECT $1, $2 + $3", parameters: [1, 2, 3])
    }

    func testNumberedParametersKeepTheirIndexAndAreNumberedDenselyForTheServer() throws {
        let statement = try parse("SELECT ?3, ?, ?3")
        XCTAssertEqual(statement.serverText, "SELECT $1, $2, $1")
        XCTAssertEqual(statement.serverParameters, [3, 4])
        XCTAssertEqual(statement.parameterNames, [nil, nil, "?3", nil])
    }

    func testNamedParametersShareAnIndex() throws {
        let statement = try parse("SELECT :a, @b, $c, :a, :A")
        XCTAssertEqual(statement.serverText, "SELECT $1, $2, $3, $1, $4")
        XCTAssertEqual(statement.parameterNames, [":a", "@b", "$c", ":A"])
        // Canonically equivalent, and different bytes.
        XCTAssertEqual(try parse("SELECT :\u{e9}, :e\u{301}").serverText, "SELECT $1, $2")
    }

    func testParametersOfTheServerAreKept() throws {
        let statement = try parse("SELECT $2, $1")
        XCTAssertEqual(statement.serverText, "SELECT $1, $2")
        XCTAssertEqual(statement.serverParameters, [2, 1])
        XCTAssertEqual(statement.parameterNames, [nil, nil])
    }

    func testDoubledQuestionMarksAreOperators() throws {
        try assertServerText(
            "SELECT a ?? 'x', b ??| ?, c @?? ?", "SELECT a ? 'x', b ?| $1, c @? $2", parameters: [1, 2])
    }

    func testParametersNextToOperators() throws {
        try assertServerText(
            "SELECT a=? AND b=:b AND c=@c", "SELECT a=$1 AND b=$2 AND c=$3", parameters: [1, 2, 3])
        try assertServerText("SELECT -?+?", "SELECT -$1+$2", parameters: [1, 2])
        try assertServerText("SELECT a||@b", "SELECT a||$1", parameters: [1])
    }

    func testOperatorsWithAtAreNoParameters() throws {
        try assertServerText("SELECT a <@b, a @>b, a @@ b, @ -5", "SELECT a <@b, a @>b, a @@ b, @ -5")
    }

    func testCastsAreNoParameters() throws {
        try assertServerText(
            "SELECT ?::int, a::text, :b::bool", "SELECT $1::int, a::text, $2::bool", parameters: [1, 2])
    }

    func testSlicesAndNamedArgumentsAreNoParameters() throws {
        try assertServerText("SELECT a[1:2], f(x := 1, y => 2)", "SELECT a[1:2], f(x := 1, y => 2)")
    }

    func testStringsHoldNoParameters() throws {
        for string in [
            "'?'", "':a''?'", #"E'\'?'"#, "U&'?'", "B'?'", "$$?$$", "$tag$ ? $$ ? $tag$", "N'?'", #"'\'"#,
        ] {
            try assertServerText("SELECT \(string), ?", "SELECT \(string), $1", parameters: [1])
        }
    }

    func testQuotedNamesHoldNoParameters() throws {
        try assertServerText(#"SELECT "a?"":b", U&"?", ?"#, #"SELECT "a?"":b", U&"?", $1"#, parameters: [1])
    }

    func testCommentsHoldNoParameters() throws {
        try assertServerText(
            "SELECT 1 -- ?\n /* ? /* ? */ :a */ , ?", "SELECT 1 -- ?\n /* ? /* ? */ :a */ , $1",
            parameters: [1])
        try assertServerText("SELECT 1 +-- ?\n ?", "SELECT 1 +-- ?\n $1", parameters: [1])
        try assertServerText("SELECT 2 */* ? */ ?", "SELECT 2 */* ? */ $1", parameters: [1])
    }

    func testDollarsInNamesBeginNoString() throws {
        try assertServerText("SELECT a$b$, ? , c$b$", "SELECT a$b$, $1 , c$b$", parameters: [1])
    }

    func testIndexesOutOfRangeAreErrors() {
        for sql in ["SELECT ?0", "SELECT ?65536", "SELECT $99999999999999999999999"] {
            XCTAssertThrowsError(try PostgresSQL.first(in: sql, fromUTF8Offset: 0)) {
                XCTAssertEqual(($0 as? StorageError)?.code, .range)
            }
        }
    }

    // MARK: - Statements

    func testStatementsEndAtSemicolons() throws {
        let script = " ; SELECT ';' ; -- a\n INSERT INTO t VALUES (1); "
        let first = try parse(script)
        XCTAssertEqual(first.text, "SELECT ';'")
        let second = try parse(script, from: first.endUTF8Offset)
        XCTAssertEqual(second.text, "INSERT INTO t VALUES (1)")
        XCTAssertNil(try PostgresSQL.first(in: script, fromUTF8Offset: second.endUTF8Offset))
    }

    func testSemicolonsInBodiesDoNotEndStatements() throws {
        for sql in [
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END",
            "CREATE OR REPLACE PROCEDURE p() LANGUAGE sql BEGIN ATOMIC INSERT INTO t VALUES (1); END",
            "CREATE FUNCTION f(begin date) RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT begin FROM t; SELECT 2; END",
            "CREATE RULE r AS ON INSERT TO t DO ALSO (SELECT 1; SELECT 2)",
            "DO $$ BEGIN PERFORM 1; END $$",
        ] {
            XCTAssertEqual(try parse(sql + "; SELECT 1").text, sql)
        }
        XCTAssertEqual(try parse("BEGIN; SELECT 1").text, "BEGIN")
    }

    // MARK: - Access

    func testCommandsThatReadAreReadOnly() throws {
        for sql in [
            "SELECT 1", "VALUES (1)", "TABLE t", "WITH a AS (SELECT 1) SELECT * FROM a",
            "EXPLAIN DELETE FROM t",
            "EXPLAIN ANALYZE SELECT 1", "SHOW TimeZone", "SET a = 1", "SELECT share, key, merge FROM t",
            "SELECT update FROM t ORDER BY delete", "(SELECT 1)", "SELECT max(update) FROM t",
            "SELECT count(*) FROM t WHERE (delete IS NULL)",
            "WITH RECURSIVE a AS (SELECT 1 AS i) SEARCH DEPTH FIRST BY i SET update SELECT * FROM a",
        ] {
            XCTAssertTrue(try parse(sql).access.isReadOnly, sql)
            XCTAssertFalse(try parse(sql).access.changesSchema, sql)
        }
    }

    func testCommandsThatWriteAreNotReadOnly() throws {
        for sql in [
            "INSERT INTO t VALUES (1)", "WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a",
            "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", "SELECT * INTO u FROM t",
            "SELECT * FROM t FOR UPDATE", "SELECT * FROM t FOR NO KEY UPDATE",
            "SELECT * FROM t FOR KEY SHARE",
            "EXPLAIN ANALYZE DELETE FROM t", "EXPLAIN ANALYZE DELETE FROM t WHERE id IN (SELECT 1)",
            "EXPLAIN (ANALYZE, VERBOSE) UPDATE t SET a = (SELECT 1)",
            "EXPLAIN (ANALYZE) WITH a AS (DELETE FROM t RETURNING *) TABLE a",
            "WITH RECURSIVE a AS (SELECT 1 AS i) SEARCH DEPTH FIRST BY i SET o DELETE FROM t",
            #"WITH RECURSIVE a AS (SELECT 1 AS i) CYCLE i SET c USING "p" UPDATE t SET b = 1"#,
            "CALL p()", "DO 'x'", "TRUNCATE t", "CREATE TABLE t ()", "REFRESH MATERIALIZED VIEW v",
        ] {
            XCTAssertFalse(try parse(sql).access.isReadOnly, sql)
        }
    }

    func testSchemaChangesAreRecognized() throws {
        for sql in [
            "CREATE TABLE t ()", "ALTER TABLE t ADD a int", "DROP VIEW v", "DO 'x'", "SELECT 1 INTO t",
        ] {
            XCTAssertTrue(try parse(sql).access.changesSchema, sql)
        }
        XCTAssertFalse(try parse("INSERT INTO t VALUES (1)").access.changesSchema)
    }

    func testTransactionEffectsAreRecognized() throws {
        let effects: [(String, TransactionEffect?)] = [
            ("BEGIN", .begin), ("START TRANSACTION READ ONLY", .begin), ("COMMIT", .commit), ("END", .commit),
            ("ROLLBACK", .rollback), ("ABORT", .rollback), ("ROLLBACK TO a", .rollbackTo("a")),
            ("ROLLBACK WORK TO SAVEPOINT A", .rollbackTo("a")), (#"SAVEPOINT "A""b""#, .savepoint(#"A"b"#)),
            ("RELEASE SAVEPOINT a", .release("a")), ("COMMIT PREPARED 'x'", nil), ("SELECT 1", nil),
        ]
        for (sql, effect) in effects { XCTAssertEqual(try parse(sql).access.transactionEffect, effect, sql) }
    }

    func testExpansionReplacesParametersByLiterals() throws {
        let statement = try parse("SELECT ?, :b, '?' WHERE c = ?1 ")
        XCTAssertEqual(
            statement.expanded(with: [.text("it's"), .blob([0, 255])]),
            #"SELECT 'it''s', '\x00ff', '?' WHERE c = 'it''s'"#)
    }
}
