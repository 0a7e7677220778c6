import Foundation
import Vigil
import XCTest

final class TableConstraintTests: XCTestCase {
    private func inTable(
        _ definition: (TableDefinition) -> Void, _ body: (Database) throws -> Void
    ) throws {
        try DatabaseQueue().inDatabase { db in
            try db.create(table: "t", body: definition)
            try body(db)
        }
    }

    private func assertRefuses(
        _ db: Database, _ sql: String, _ code: ResultCode, line: UInt = #line
    ) {
        XCTAssertThrowsError(try db.execute(sql: sql), line: line) { error in
            XCTAssertEqual((error as? DatabaseError)?.extendedResultCode, code, line: line)
        }
    }

    func testPrimaryKeysRejectNullUnlessDefinedByConstraint() throws {
        try inTable {
            $0.primaryKey("a", .text)
        } _: { db in
            XCTAssertEqual(try db.primaryKey("t").columns, ["a"])
            try db.execute(sql: "INSERT INTO t VALUES ('x')")
            assertRefuses(db, "INSERT INTO t VALUES ('x')", .SQLITE_CONSTRAINT_PRIMARYKEY)
            assertRefuses(db, "INSERT INTO t VALUES (NULL)", .SQLITE_CONSTRAINT_NOTNULL)
        }
        try inTable { t in
            t.primaryKey {
                t.column("a", .text)
                t.column("b", .text)
            }
        } _: { db in
            XCTAssertEqual(try db.primaryKey("t").columns, ["a", "b"])
            assertRefuses(db, "INSERT INTO t VALUES ('x', NULL)", .SQLITE_CONSTRAINT_NOTNULL)
        }
        try inTable { t in
            t.column("a", .text)
            t.column("b", .text)
            t.primaryKey(["b", "a"], onConflict: .ignore)
        } _: { db in
            XCTAssertEqual(try db.primaryKey("t").columns, ["b", "a"])
            try db.execute(sql: "INSERT INTO t VALUES (1, 1), (1, 1)")
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 1)
        }
    }

    func testConflictsAreResolvedAsDefined() throws {
        try inTable { t in
            t.primaryKey("a", .integer, onConflict: .replace)
            t.column("b").unique(onConflict: .ignore)
            t.column("c").notNull(onConflict: .ignore)
            t.uniqueKey(["b", "c"], onConflict: .fail)
        } _: { db in
            try db.execute(
                sql: """
                    INSERT INTO t VALUES (1, 1, 1), (1, 2, 2);
                    INSERT INTO t VALUES (2, 2, 3);
                    INSERT INTO t VALUES (3, 3, NULL);
                    """)
            XCTAssertEqual(try Row.fetchAll(db, sql: "SELECT * FROM t"), [["a": 1, "b": 2, "c": 2]])
            XCTAssertEqual(try db.indexes(on: "t").filter(\.isUnique).count, 2)
        }
    }

    func testUniqueColumnsAndKeysRejectDuplicates() throws {
        try inTable { t in
            t.column("a").unique().indexed()
            t.column("b")
            t.column("c")
            t.uniqueKey(["b", "c"])
        } _: { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 1, 1)")
            assertRefuses(db, "INSERT INTO t VALUES (1, 2, 2)", .SQLITE_CONSTRAINT_UNIQUE)
            assertRefuses(db, "INSERT INTO t VALUES (2, 1, 1)", .SQLITE_CONSTRAINT_UNIQUE)
            XCTAssertTrue(try db.table("t", hasUniqueKey: ["c", "b"]))
            XCTAssertEqual(try db.indexes(on: "t").count, 2)
        }
    }

    func testChecksRejectRows() throws {
        let limit = 5
        try inTable { t in
            t.column("a").check(sql: "a > 0").check { $0 < 10 }
            t.column("b").check { $0 != "x" && $0 > -100 }
            t.check(sql: "a <> b")
            t.check("b <= \(limit) AND b <> -\(-3) AND b NOT IN \([1, 2])" as SQL)
        } _: { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 4)")
            for values in ["(0, 4)", "(10, 4)", "(4, 4)", "(1, 6)", "(2, 1)", "(1, 3)", "(1, -100)"] {
                assertRefuses(db, "INSERT INTO t VALUES \(values)", .SQLITE_CONSTRAINT_CHECK)
            }
        }
    }

    @available(*, deprecated, message: "tests a deprecated method")
    func testACheckedStringIsAValue() throws {
        try inTable { t in
            t.column("a")
            t.check("a > 0")
        } _: { db in
            let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 't'")
            XCTAssertEqual(sql, #"CREATE TABLE "t" ("a", CHECK ('a > 0'))"#)
            assertRefuses(db, "INSERT INTO t VALUES (1)", .SQLITE_CONSTRAINT_CHECK)
        }
    }

    func testDefaultValuesAreStoredExactly() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        try inTable { t in
            t.column("id", .integer).primaryKey()
            t.column("integer", .integer).defaults(to: Int64.min)
            t.column("double", .double).defaults(to: 0.1)
            t.column("huge", .double).defaults(to: -Double.infinity)
            t.column("text", .text).defaults(to: "it's \"?\" :x\n--")
            t.column("nul", .text).defaults(to: "a\0b")
            t.column("blob", .blob).defaults(to: Data([0, 15, 255]))
            t.column("date", .datetime).defaults(to: date)
            t.column("flag", .boolean).defaults(to: true)
            t.column("sql").defaults(sql: "(1 + 1)")
            t.column("now").defaults(sql: "CURRENT_TIMESTAMP")
        } _: { db in
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            let row = try XCTUnwrap(Row.fetchOne(db, sql: "SELECT * FROM t"))
            XCTAssertEqual(row["integer"], Int64.min)
            XCTAssertEqual(row["double"], 0.1)
            XCTAssertEqual(row["huge"], -Double.infinity)
            XCTAssertEqual(row["text"], "it's \"?\" :x\n--")
            XCTAssertEqual(row["nul"], "a\0b")
            XCTAssertEqual(row["blob"], Data([0, 15, 255]))
            XCTAssertEqual(row["date"], date)
            XCTAssertEqual(row["flag"], true)
            XCTAssertEqual(row["sql"], 2)
            XCTAssertNotNil(row["now"] as String?)
        }
    }

    func testGeneratedColumnsAreComputed() throws {
        try XCTSkipIf(Database.sqliteLibVersionNumber < 3_031_000, "this library has no generated columns")
        let factor = 3
        try inTable { t in
            t.column("a", .integer)
            t.column("b", .integer).generatedAs(sql: "a * 2")
            t.column("c", .integer).generatedAs("a * \(factor)" as SQL, .stored)
        } _: { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (5)")
            XCTAssertEqual(try Row.fetchOne(db, sql: "SELECT * FROM t"), ["a": 5, "b": 10, "c": 15])
        }
    }

    func testColumnUsesItsCollation() throws {
        try inTable { t in
            t.column("a", .text).collate(.nocase)
            t.column("b", .text).collate(.caseInsensitiveCompare)
        } _: { db in
            try db.execute(sql: "INSERT INTO t VALUES ('x', 'É')")
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT a = 'X' AND b = 'é' FROM t"), 1)
        }
    }

    func testCollationsMayHaveAnyName() throws {
        for name in [
            "de-DE", "my collation", "1st", "a\"b", "é", "select * from t", "x\"\u{301}; --", "by_Name1", "_",
            "Order", "key", "within", "not",
        ] {
            let reversed = DatabaseCollation(name) { a, b in
                a == b ? .orderedSame : a < b ? .orderedDescending : .orderedAscending
            }
            let collationName = Database.CollationName(rawValue: name)
            try DatabaseQueue().inDatabase { db in
                db.add(collation: reversed)
                try db.create(table: "t") { t in
                    t.column("a", .text).collate(collationName)
                    t.column("b", .text).collate(reversed)
                }
                try db.execute(sql: "INSERT INTO t VALUES ('1', '1'), ('2', '2')")
                let names = Table("t").select(Column("a"), as: String.self)
                for term in [
                    Column("a").sqlExpression, Column("b").sqlExpression,
                    Column("a").collating(collationName), Column("a").collating(reversed),
                ] {
                    XCTAssertEqual(try names.order(term).fetchAll(db), ["2", "1"], name)
                }
                let piece: SQL = "SELECT a FROM t ORDER BY a COLLATE \(reversed), a COLLATE \(collationName)"
                XCTAssertEqual(try SQLRequest<String>(literal: piece).fetchAll(db), ["2", "1"], name)
                try db.reindex(collation: collationName)
            }
        }
    }

    func testTextWithCombiningMarksStaysInItsLiteral() throws {
        let text = "a'\u{301}, 'b'); DROP TABLE t; --"
        try inTable { t in
            t.column("a", .text).defaults(to: text)
        } _: { db in
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            XCTAssertEqual(try String.fetchOne(db, sql: "SELECT a FROM t"), text)
            let name = "x\"\u{301}(a); DROP TABLE t; --"
            try db.create(table: name) { t in t.column(name, .text) }
            XCTAssertEqual(try db.columns(in: name).map(\.name), [name])
        }
    }

    func testOnlyParametersOutsideOfQuotesAndCommentsBecomeLiterals() throws {
        try DatabaseQueue().inDatabase { db in
            let piece = SQL(
                sql: """
                    SELECT '?''?' AS a, "x?" AS b, [x?] AS c, :v AS d, ? AS "e"-- ?
                    /* ? :v */ FROM (SELECT 1 AS "x?") WHERE :v = $v
                    """, arguments: [5] + ["v": 7])
            try db.create(view: "v", asLiteral: piece)
            XCTAssertEqual(
                try Row.fetchOne(db, sql: "SELECT * FROM v"), ["a": "?'?", "b": 1, "c": 1, "d": 7, "e": 5])
            let surplus = SQL(sql: "SELECT ?", arguments: [1, 2])
            XCTAssertThrowsError(try db.create(view: "w", asLiteral: surplus))
            let missing = SQL(sql: "SELECT ?, ?", arguments: [1])
            XCTAssertThrowsError(try db.create(view: "w", asLiteral: missing))
            let numbered = SQL(sql: "SELECT ?2, ?1", arguments: [1, 2])
            XCTAssertThrowsError(try db.create(view: "w", asLiteral: numbered))
            try db.create(
                view: "w", asLiteral: SQL(sql: "SELECT?=1 AND 1=?AND 2=? AS a", arguments: [1, 1, 2]))
            XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT a FROM w"), 1)
        }
    }

    func testValuesInsideOfQuotesAndCommentsAreRefused() throws {
        try DatabaseQueue().inDatabase { db in
            let code = " OR 1 --"
            for definition: SQL in [
                "SELECT 1 AS a WHERE '' = '\(code)'", "SELECT 1 AS \"a\(code)\"", "SELECT 1 AS [\(5)]",
                "SELECT 1 AS a -- \(code)", "SELECT 1 AS a /* \(5) */", "SELECT 'a\(5)' AS a, \(6) AS b",
                SQL(sql: "SELECT '") + SQL(sql: "?", arguments: [code]) + SQL(sql: "' AS a"),
            ] {
                XCTAssertThrowsError(try db.create(view: "v", asLiteral: definition)) { error in
                    XCTAssertEqual((error as? DatabaseError)?.resultCode, .SQLITE_MISUSE)
                    XCTAssertFalse("\(error)".contains(code), "\(error)")
                }
            }
            try db.create(
                view: "v",
                asLiteral: "SELECT \(-1) AS a, '\\'||\("it's") AS b, 1-\(-2) AS c, \(Data([1])) AS d")
            XCTAssertEqual(
                try Row.fetchOne(db, sql: "SELECT * FROM v"),
                ["a": -1, "b": "\\it's", "c": 3, "d": Data([1])])
        }
    }
}
