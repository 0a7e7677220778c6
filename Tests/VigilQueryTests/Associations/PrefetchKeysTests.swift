import Foundation
import Vigil
import XCTest

@testable import VigilQuery

final class PrefetchKeysTests: XCTestCase {
    private let values: [DatabaseValue] = [
        1.databaseValue, 2.5.databaseValue, "it's".databaseValue, "a\0b".databaseValue,
        DatabaseValue(value: Data([0, 255])) ?? .null,
    ]

    /// Returns the SQL and the number of arguments of the conditions of keys.
    private func conditions(
        _ db: Database, _ keys: PrefetchKeys, _ columns: [String], parameterLimit: Int,
        lengthLimit: Int = 900_000
    ) throws -> [(sql: String, arguments: StatementArguments)] {
        try keys.parts(parameterLimit: parameterLimit, lengthLimit: lengthLimit).map {
            try SQL($0.condition(columns)).build(db)
        }
    }

    func testKeysAreDistinctAndSortedWithoutNull() throws {
        try DatabaseQueue().read { db in
            let keys = PrefetchKeys(([3, 1, nil, 3] as [Int?]).map { [$0?.databaseValue ?? .null] })
            let parts = try conditions(db, keys, ["a"], parameterLimit: 999)
            XCTAssertEqual(parts.map(\.sql), ["\"a\" IN (?, ?)"])
            XCTAssertEqual(parts.map(\.arguments), [[1, 3]])
            XCTAssertEqual(try conditions(db, PrefetchKeys([[.null]]), ["a"], parameterLimit: 999).count, 0)
        }
    }

    func testKeysBecomeLiteralsIfThereAreMoreThanParameters() throws {
        try onEachQueue { dbQueue in
            try dbQueue.write { db in
                try db.execute(sql: "CREATE TABLE t(a, b)")
                for value in values { try db.execute(literal: "INSERT INTO t VALUES (\(value), \(value))") }
                for columns in [["a"], ["a", "b"]] {
                    let keys = PrefetchKeys(values.map { value in columns.map { _ in value } })
                    let parts = try conditions(db, keys, columns, parameterLimit: 101)
                    XCTAssertEqual(parts.count, 1)
                    XCTAssertTrue(parts.allSatisfy(\.arguments.isEmpty))
                    let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE \(parts[0].sql)")
                    XCTAssertEqual(count, values.count)
                }
            }
        }
    }

    func testLongStatementsAreDivided() throws {
        try DatabaseQueue().read { db in
            let keys = PrefetchKeys((1...9).map { [$0.databaseValue] })
            let parts = try conditions(db, keys, ["a"], parameterLimit: 0, lengthLimit: 30)
            XCTAssertEqual(
                parts.map(\.sql), ["\"a\" IN (1, 2, 3, 4)", "\"a\" IN (5, 6, 7, 8)", "\"a\" = (9)"])
        }
    }

    func testManyKeysOfSeveralColumnsAreRowValues() throws {
        try DatabaseQueue().read { db in
            let few = try conditions(
                db, PrefetchKeys((1...2).map { [$0.databaseValue, 0.databaseValue] }), ["a", "b"],
                parameterLimit: 999)
            XCTAssertEqual(few[0].sql, "((\"a\" = ?) AND (\"b\" = ?)) OR ((\"a\" = ?) AND (\"b\" = ?))")
            let many = try conditions(
                db, PrefetchKeys((1...65).map { [$0.databaseValue, 0.databaseValue] }), ["a", "b"],
                parameterLimit: 999)
            XCTAssertTrue(many[0].sql.hasPrefix("(\"a\", \"b\") IN (VALUES (?, ?), (?, ?), "))
        }
    }
}
