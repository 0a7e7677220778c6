import Foundation
import Vigil
import XCTest

private enum Column: String, CodingKey { case id, name }
private enum StoredColumn: String, CodingKey, DatabaseValueConvertible { case id }
private enum Color: String, DatabaseValueConvertible { case red }

final class SQLTests: XCTestCase {
    private func assert(
        _ sql: SQL, builds text: String, _ arguments: StatementArguments = [], line: UInt = #line
    ) throws {
        let built = try DatabaseQueue().inDatabase { db in try sql.build(db) }
        XCTAssertEqual(built.sql, text, line: line)
        XCTAssertEqual(built.arguments, arguments, line: line)
    }

    func testLiteralBuildsItsText() throws {
        try assert("SELECT 1", builds: "SELECT 1")
        try assert(SQL(sql: "SELECT ?", arguments: [1]), builds: "SELECT ?", [1])
        try assert(SQL(SQL(sql: "a")), builds: "a")
    }

    func testValuesAreBound() throws {
        let name = "O'Brien"
        try assert("SELECT \(1), \(name), \(name.prefix(1))", builds: "SELECT ?, ?, ?", [1, "O'Brien", "O"])
        try assert("SELECT \(1.5) || \(true)", builds: "SELECT ? || ?", [1.5, true])
        try assert("x = \(Color.red)", builds: "x = ?", ["red"])
        try assert("x = \(Data([1]))", builds: "x = ?", [Data([1])])
        try assert("x = \(1.databaseValue)", builds: "x = ?", [1])
        let value: (any DatabaseValueConvertible)? = 1
        try assert("x = \(value)", builds: "x = ?", [1])
    }

    func testNilIsWrittenAsNull() throws {
        let number: Int? = nil
        let text: String? = nil
        let value: (any SQLExpressible)? = nil
        try assert("\(number) \(text) \(value) \(DatabaseValue.null)", builds: "NULL NULL NULL NULL")
        try assert("\(Int?.some(1)) \(String?.some("a"))", builds: "? ?", [1, "a"])
    }

    func testSequencesAreWrittenAsLists() throws {
        try assert("x IN \([1, 2, 3])", builds: "x IN (?,?,?)", [1, 2, 3])
        try assert("x IN \(1...2)", builds: "x IN (?,?)", [1, 2])
        try assert("x IN \(Set(["a"]))", builds: "x IN (?)", ["a"])
        try assert("x IN \([1, nil] as [Int?])", builds: "x IN (?,NULL)", [1])
        try assert("x IN \(["a", 1] as [any SQLExpressible])", builds: "x IN (?,?)", ["a", 1])
        try assert("x IN \([Data([1])])", builds: "x IN (?)", [Data([1])])
    }

    func testEmptySequenceContainsNothing() throws {
        let none: [Int] = []
        try DatabaseQueue().inDatabase { db in
            let inside: SQLRequest<Bool> = "SELECT 1 IN \(none)"
            let outside: SQLRequest<Bool> = "SELECT 1 NOT IN \(none)"
            XCTAssertEqual(try inside.fetchOne(db), false)
            XCTAssertEqual(try outside.fetchOne(db), true)
        }
    }

    func testNamesAreQuoted() throws {
        try assert("SELECT \(Column.name)", builds: #"SELECT "name""#)
        let key: any CodingKey = Column.id
        try assert("SELECT \(key)", builds: #"SELECT "id""#)
        try assert("SELECT \(StoredColumn.id)", builds: #"SELECT "id""#)
        try assert("SELECT \(identifier: "a \"b")", builds: #"SELECT "a ""b""#)
    }

    func testIdentifiersAreQuotedAndQuestionMarksAreSeparated() {
        XCTAssertEqual("a\"b".quotedDatabaseIdentifier, #""a""b""#)
        XCTAssertEqual("".quotedDatabaseIdentifier, #""""#)
        // With a combining mark, a quote is another character to Swift, but not to SQLite.
        XCTAssertEqual(
            Array("a\"\u{301}".quotedDatabaseIdentifier.utf8), Array("\"a\"\"\u{301}\"".utf8))
        XCTAssertEqual(databaseQuestionMarks(count: 3), "?,?,?")
        XCTAssertEqual(databaseQuestionMarks(count: 0), "")
    }

    func testPiecesCanBeNested() throws {
        let condition: SQL = "name = \("a")"
        try assert(
            "WHERE \(condition) AND \(literal: "x > \(1)")", builds: "WHERE name = ? AND x > ?", ["a", 1])
        try assert(
            "\(sql: "a = ? AND b = :b", arguments: [1] + ["b": 2]) OR c = \(3)",
            builds: "a = ? AND b = :b OR c = ?", [1, 3] + ["b": 2])
    }

    func testRequestsCanBeEmbeddedAsSubqueries() throws {
        let best: SQLRequest<Int> = "SELECT MAX(score) FROM player WHERE team = \(5)"
        try assert(
            "score = (\(best))", builds: "score = (SELECT MAX(score) FROM player WHERE team = ?)", [5])
        let expression: any SQLExpressible = best
        try assert("\(expression)", builds: "(SELECT MAX(score) FROM player WHERE team = ?)", [5])
        try assert("(\(best.sqlSubquery))", builds: "(SELECT MAX(score) FROM player WHERE team = ?)", [5])
    }

    func testPiecesCanBeConcatenated() throws {
        var sql: SQL = "SELECT \(1)"
        sql += ", \(2)"
        sql.append(literal: ", \(3)")
        sql.append(sql: ", ?", arguments: [4])
        try assert(sql + " LIMIT 1", builds: "SELECT ?, ?, ?, ? LIMIT 1", [1, 2, 3, 4])
        let conditions: [SQL] = ["a = \(1)", "b = \(2)", "c"]
        try assert(conditions.joined(separator: " AND "), builds: "a = ? AND b = ? AND c", [1, 2])
        try assert(conditions.joined(), builds: "a = ?b = ?c", [1, 2])
        try assert(conditions.lazy.map { "(\($0))" as SQL }.joined(), builds: "(a = ?)(b = ?)(c)", [1, 2])
    }

    func testOnlySQLWithoutTextIsEmpty() {
        XCTAssertTrue(("" as SQL).isEmpty)
        XCTAssertTrue(([] as [SQL]).joined(separator: ",").isEmpty)
        XCTAssertFalse(("\(1)" as SQL).isEmpty)
        XCTAssertFalse((" " as SQL).isEmpty)
    }

    func testNamedArgumentWithTwoValuesThrows() throws {
        let one = SQL(sql: "a = :x", arguments: ["x": 1])
        try assert("\(one) \(one)", builds: "a = :x a = :x", ["x": 1])
        let other = SQL(sql: "b = :x", arguments: ["x": 2])
        try DatabaseQueue().inDatabase { db in
            XCTAssertThrowsError(try (one + other).build(db)) { error in
                XCTAssertEqual(
                    (error as? DatabaseError)?.message,
                    "the statement argument x has two different values: use one name for each value")
            }
        }
    }
}
