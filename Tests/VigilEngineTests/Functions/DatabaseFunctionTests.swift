import Foundation
import Vigil
import XCTest

final class DatabaseFunctionTests: XCTestCase {
    private func value(of sql: String, _ functions: DatabaseFunction...) throws -> [DatabaseValue] {
        var values: [DatabaseValue] = []
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                functions.forEach { db.add(function: $0) }
                try values.append(XCTUnwrap(DatabaseValue.fetchOne(db, sql: sql)))
            }
        }
        return values
    }

    func testFunctionReturnsAllKindsOfValues() throws {
        let results: [DatabaseValue] = [
            .null, Int64.min.databaseValue, 1.5.databaseValue, "é\0x".databaseValue, "".databaseValue,
            Data([0, 255]).databaseValue, Data().databaseValue,
        ]
        for result in results {
            for value in try value(of: "SELECT f()", DatabaseFunction("f") { _ in result }) {
                XCTAssertEqual(value.storage, result.storage)
            }
        }
        for value in try value(of: "SELECT f()", DatabaseFunction("f") { _ in nil }) {
            XCTAssertTrue(value.isNull)
        }
    }

    func testFunctionReceivesAllKindsOfValues() throws {
        let kinds = DatabaseFunction("kinds") { values in
            values.map { "\($0.storage)" }.joined(separator: " ")
        }
        for value in try value(of: "SELECT kinds(NULL, 1, 1.5, 'é', x'01', '')", kinds) {
            XCTAssertEqual(
                String.fromDatabaseValue(value),
                "null int64(1) double(1.5) string(\"é\") blob(1 bytes) string(\"\")")
        }
    }

    func testFunctionRequiresItsNumberOfArguments() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                db.add(function: DatabaseFunction("f", argumentCount: 0) { _ in 0 })
                db.add(function: DatabaseFunction("f", argumentCount: 2) { _ in 2 })
                XCTAssertEqual(try Int.fetchAll(db, sql: "SELECT f() UNION ALL SELECT f(1, 1)"), [0, 2])
                assertDatabaseError(.SQLITE_ERROR, "wrong number of arguments to function f()") {
                    try db.execute(sql: "SELECT f(1)")
                }
            }
        }
    }

    func testErrorOfFunctionFailsTheStatement() throws {
        struct Mistake: Error, CustomStringConvertible { let description = "a mistake" }
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                db.add(
                    function: DatabaseFunction("both") { _ in
                        throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "not unique")
                    })
                db.add(
                    function: DatabaseFunction("code") { _ in
                        throw DatabaseError.init(resultCode: .SQLITE_FULL)
                    })
                db.add(function: DatabaseFunction("other") { _ in throw Mistake() })
                db.add(
                    function: DatabaseFunction("none") { _ in
                        throw DatabaseError(resultCode: ResultCode(rawValue: 0), message: "no error")
                    })
                assertDatabaseError(.SQLITE_CONSTRAINT_UNIQUE, "not unique") {
                    try db.execute(sql: "SELECT both()")
                }
                assertDatabaseError(.SQLITE_FULL, "database or disk is full") {
                    try db.execute(sql: "SELECT code()")
                }
                assertDatabaseError(.SQLITE_ERROR, "a mistake") { try db.execute(sql: "SELECT other()") }
                assertDatabaseError(.SQLITE_ERROR, "no error") { try db.execute(sql: "SELECT none()") }
            }
        }
    }

    func testFunctionCanBeReplacedAndRemoved() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                let first = DatabaseFunction("f", argumentCount: 0) { _ in 1 }
                db.add(function: first)
                db.add(function: DatabaseFunction("F", argumentCount: 0) { _ in 2 })
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT f()"), 2)
                db.remove(function: first)
                assertDatabaseError(.SQLITE_ERROR, "no such function: f") {
                    try db.execute(sql: "SELECT f()")
                }
            }
        }
    }

    func testOnlyPureFunctionsCanBeIndexed() throws {
        try onEachQueue(schema: "CREATE TABLE t(a)") { dbQueue in
            try dbQueue.write { db in
                db.add(function: DatabaseFunction("pure", argumentCount: 1, pure: true) { $0[0] })
                db.add(function: DatabaseFunction("impure", argumentCount: 1) { $0[0] })
                try db.execute(sql: "CREATE INDEX i ON t(pure(a))")
                assertDatabaseError(.SQLITE_ERROR) { try db.execute(sql: "CREATE INDEX j ON t(impure(a))") }
            }
        }
    }

    func testInvalidFunctionFailsOnlyTheNextStatement() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                let name = String(repeating: "f", count: 300)
                db.add(function: DatabaseFunction(name) { _ in 1 })
                assertDatabaseError(.SQLITE_MISUSE) { try db.execute(sql: "SELECT 1") }
                try db.execute(sql: "SELECT 1")
            }
        }
    }

    func testFunctionCanRunStatements() throws {
        try onEachQueue(schema: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)") { dbQueue in
            try dbQueue.read { db in
                nonisolated(unsafe) let db = db
                db.add(
                    function: DatabaseFunction("total", argumentCount: 0) { _ in
                        try Int.fetchOne(db, sql: "SELECT SUM(a) FROM t")
                    })
                XCTAssertEqual(try Int.fetchAll(db, sql: "SELECT a + total() FROM t"), [4, 5])
            }
        }
    }

    func testEveryConnectionHasTheStandardFunctions() throws {
        try onEachQueue { dbQueue in
            try dbQueue.read { db in
                let row = try XCTUnwrap(
                    Row.fetchOne(
                        db,
                        sql: """
                            SELECT swiftUppercaseString('éa'), swiftLowercaseString('ÉA'),
                            swiftCapitalizedString('éa bc'), swiftLocalizedUppercaseString('éa'),
                            swiftLocalizedLowercaseString('ÉA'), swiftLocalizedCapitalizedString('éa bc'),
                            swiftUppercaseString(NULL)
                            """))
                XCTAssertEqual(
                    row.databaseValues.map { String.fromDatabaseValue($0) },
                    ["ÉA", "éa", "Éa Bc", "ÉA", "éa", "Éa Bc", nil])
            }
        }
    }

    func testFunctionOfConfigurationIsAvailableOnAllPoolConnections() throws {
        for (_, backend) in testedBackends {
            let directory = try TemporaryDirectory()
            var configuration = Configuration()
            configuration.backend = backend
            configuration.prepareDatabase { db in
                db.add(function: DatabaseFunction("answer", argumentCount: 0) { _ in 42 })
            }
            let dbPool = try DatabasePool(
                path: directory.file("database.sqlite"), configuration: configuration)
            let snapshot = try dbPool.makeSnapshot()
            let fetch: (Database) throws -> Int? = { try Int.fetchOne($0, sql: "SELECT answer()") }
            XCTAssertEqual(try dbPool.write(fetch), 42)
            XCTAssertEqual(try dbPool.read(fetch), 42)
            XCTAssertEqual(try snapshot.read(fetch), 42)
        }
    }

    func testFunctionIsReleasedWithItsConnection() throws {
        final class Witness: Sendable {}
        try onEachQueue { dbQueue in
            weak var released: Witness?
            weak var replaced: Witness?
            try dbQueue.write { db in
                let (first, second) = (Witness(), Witness())
                (replaced, released) = (first, second)
                db.add(function: DatabaseFunction("f") { _ in withExtendedLifetime(first) { 1 } })
                db.add(function: DatabaseFunction("f") { _ in withExtendedLifetime(second) { 2 } })
                XCTAssertEqual(try Int.fetchOne(db, sql: "SELECT f()"), 2)
            }
            XCTAssertNil(replaced)
            XCTAssertNotNil(released)
            try dbQueue.close()
            XCTAssertNil(released)
        }
    }
}
