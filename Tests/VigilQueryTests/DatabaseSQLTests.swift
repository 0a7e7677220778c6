import Vigil
import XCTest

final class DatabaseSQLTests: XCTestCase {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(literal: "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT)")
            try body(db)
        }
    }

    func testExecutesSQLWithInterpolatedValues() throws {
        try inDatabase { db in
            try db.execute(
                literal: "INSERT INTO t VALUES (\(1), \("a")); INSERT INTO t VALUES (\(2), \("b"))")
            XCTAssertEqual(try String.fetchAll(db, sql: "SELECT name FROM t"), ["a", "b"])
        }
    }

    func testStatementsHaveInterpolatedValuesAsArguments() throws {
        try inDatabase { db in
            let statement = try db.makeStatement(literal: "SELECT \(1)")
            XCTAssertEqual(statement.arguments, [1])
            XCTAssertEqual(try Int.fetchOne(statement), 1)
            XCTAssertEqual(try Int.fetchOne(db.makeStatement(literal: "SELECT ?"), arguments: [2]), 2)
        }
    }

    func testCachedStatementReceivesNewArguments() throws {
        try inDatabase { db in
            let first = try db.cachedStatement(literal: "SELECT \(1)")
            XCTAssertEqual(try Int.fetchOne(first), 1)
            let second = try db.cachedStatement(literal: "SELECT \(2)")
            XCTAssertTrue(first === second)
            XCTAssertEqual(try Int.fetchOne(second), 2)
        }
    }

    func testAllStatementsHaveTheirArguments() throws {
        try inDatabase { db in
            let values = try db.allStatements(literal: "SELECT \(1); SELECT \(2)").map {
                try Int.fetchOne($0)
            }
            XCTAssertEqual(try Array(values), [1, 2])
            let later = try XCTUnwrap(db.allStatements(literal: "SELECT ?").next())
            XCTAssertEqual(try Int.fetchOne(later, arguments: [3]), 3)
        }
    }
}
