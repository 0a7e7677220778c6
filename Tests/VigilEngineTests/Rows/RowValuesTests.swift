import Foundation
import Vigil
import XCTest

private struct Even: DatabaseValueConvertible, Equatable {
    var value: Int
    var databaseValue: DatabaseValue { value.databaseValue }
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Even? {
        guard let value = Int.fromDatabaseValue(dbValue), value.isMultiple(of: 2) else { return nil }
        return Even(value: value)
    }
}

/// Reads values from a cursor's row, from a copy, from a fetched row and from a literal.
final class RowValuesTests: XCTestCase {
    private func forEachKindOfRow(_ body: (Row) throws -> Void) throws {
        try DatabaseQueue().inDatabase { db in
            let sql = "SELECT 2 AS id, 'Arthur' AS Name, 1.5 AS score, NULL AS team, x'0102' AS photo"
            let cursor = try Row.fetchCursor(db, sql: sql)
            let row = try XCTUnwrap(cursor.next())
            try body(row)
            try body(row.copy())
            try body(XCTUnwrap(Row.fetchOne(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 0))))
            try body(["id": 2, "Name": "Arthur", "score": 1.5, "team": nil, "photo": Data([1, 2])])
        }
    }

    func testValuesAreReadByIndexAndByName() throws {
        try forEachKindOfRow { row in
            XCTAssertEqual(row[0] as Int, 2)
            XCTAssertEqual(row[1] as String, "Arthur")
            XCTAssertEqual(row[2] as Double?, 1.5)
            XCTAssertNil(row[3] as Int?)
            XCTAssertEqual(row[4] as Data, Data([1, 2]))
            XCTAssertEqual(row["id"] as Int64, 2)
            XCTAssertEqual(row["score"] as Double, 1.5)
            XCTAssertNil(row["team"] as String?)
            XCTAssertEqual(row["photo"] as Data?, Data([1, 2]))
        }
    }

    func testTypesThatAreNotDecodedDirectlyAreRead() throws {
        try forEachKindOfRow { row in
            XCTAssertEqual(row[0] as Even, Even(value: 2))
            XCTAssertEqual(row["ID"] as Even?, Even(value: 2))
            XCTAssertNil(row["team"] as Even?)
            XCTAssertEqual(row["team"] as DatabaseValue, .null)
        }
    }

    func testColumnNamesIgnoreCase() throws {
        try forEachKindOfRow { row in
            XCTAssertEqual(row["name"] as String, "Arthur")
            XCTAssertEqual(row["NAME"] as String, "Arthur")
            XCTAssertTrue(row.hasColumn("nAmE"))
            XCTAssertFalse(row.hasColumn("names"))
            XCTAssertFalse(row.hasColumn(""))
        }
    }

    func testUntypedValuesHaveTheirStorageType() throws {
        try forEachKindOfRow { row in
            XCTAssertEqual(row[0] as? Int64, 2)
            XCTAssertEqual(row["Name"] as? String, "Arthur")
            XCTAssertEqual(row[2] as? Double, 1.5)
            XCTAssertEqual(row["photo"] as? Data, Data([1, 2]))
            XCTAssertNil(row["missing"])
            XCTAssertTrue(row["team"] == nil)
            XCTAssertTrue(row["id"] != nil)
        }
    }

    func testNameFindsTheLeftmostColumn() throws {
        let row: Row = ["Name": 1, "name": 2, "NAME": 3]
        XCTAssertEqual(row["name"] as Int, 1)
        XCTAssertEqual(row["NAME"] as Int, 1)
    }

    func testSimilarColumnNamesAreDistinguished() throws {
        let row: Row = ["abxd": 1, "abcd": 2, "é": 3, "É": 4, "a much longer name of a column": 5]
        XCTAssertEqual(row["ABCD"] as Int, 2)
        XCTAssertEqual(row["É"] as Int, 4)
        XCTAssertEqual(row["A much longer name of a COLUMN"] as Int, 5)
        XCTAssertFalse(row.hasColumn("axcd"))
    }

    func testMissingColumnThrowsUnlessTheTypeIsOptional() throws {
        try forEachKindOfRow { row in
            XCTAssertNil(row["missing"] as Int?)
            XCTAssertNil(row["missing"] as Even?)
            XCTAssertNil(try row.decode(Int?.self, forColumn: "missing"))
            XCTAssertThrowsError(try row.decode(Int.self, forColumn: "missing")) { error in
                XCTAssertTrue("\(error)".hasPrefix(#"column not found: "missing""#), "\(error)")
            }
            XCTAssertThrowsError(try row.decode(Even.self, forColumn: "missing"))
        }
    }

    func testFailedConversionThrowsAndNamesTheColumn() throws {
        try forEachKindOfRow { row in
            XCTAssertThrowsError(try row.decode(Int.self, forColumn: "name")) { error in
                XCTAssertTrue(
                    "\(error)".hasPrefix(
                        #"could not decode Int from a text value - column: "Name", column index: 1"#),
                    "\(error)")
            }
            XCTAssertThrowsError(try row.decode(String.self, atIndex: 3)) { error in
                XCTAssertTrue("\(error)".hasPrefix("could not decode String from NULL"), "\(error)")
            }
            XCTAssertThrowsError(try row.decode(Even?.self, forColumn: "score")) { error in
                XCTAssertTrue(error is RowDecodingError, "\(error)")
            }
            XCTAssertEqual(try row.decode(atIndex: 0), 2)
            XCTAssertEqual(try row.decode(forColumn: "name"), "Arthur")
        }
    }

    func testErrorsOfFetchedRowsContainSQLAndPublicArguments() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        try DatabaseQueue(configuration: configuration).inDatabase { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT ? AS a; ", arguments: ["x"])
            let row = try XCTUnwrap(rows.next())
            XCTAssertThrowsError(try row.decode(Int.self, forColumn: "a")) { error in
                XCTAssertTrue("\(error)".hasSuffix(#"sql: `SELECT ? AS a`, arguments: ["x"]"#), "\(error)")
            }
            XCTAssertThrowsError(try row.copy().decode(Int.self, forColumn: "a")) { error in
                XCTAssertTrue("\(error)".hasSuffix("sql: `SELECT ? AS a`"), "\(error)")
            }
        }
    }

    func testErrorsContainTheValueIfValuesArePublic() throws {
        for isPublic in [false, true] {
            var configuration = Configuration()
            configuration.publicStatementArguments = isPublic
            try DatabaseQueue(configuration: configuration).inDatabase { db in
                let sql = "SELECT 'x' AS a, 'y' AS b"
                let row = try XCTUnwrap(Row.fetchOne(db, sql: sql))
                let renamed = try XCTUnwrap(
                    Row.fetchOne(db, sql: sql, adapter: ColumnMapping(["c": "a"])))
                let decodings: [() throws -> Any] = [
                    { try row.decode(Int.self, forColumn: "a") }, { try row.decode(Even.self, atIndex: 0) },
                    { try row.copy().decode(Int.self, atIndex: 0) },
                    { try renamed.decode(Int.self, forColumn: "c") },
                    { try Int.fetchAll(db, sql: sql) }, { try Even.fetchOne(db, sql: sql) as Any },
                    {
                        try Row.fetchCursor(db, sql: sql).map { try $0.decode(Int.self, atIndex: 0) }.next()
                            as Any
                    },
                ]
                for (index, decode) in decodings.enumerated() {
                    XCTAssertThrowsError(try decode(), "\(index)") { error in
                        XCTAssertEqual("\(error)".contains(#"value: "x""#), isPublic, "\(index): \(error)")
                    }
                }
            }
        }
    }

    func testNullsAreDetectedWithoutConversion() throws {
        try forEachKindOfRow { row in
            XCTAssertTrue(row.hasNull(atIndex: 3))
            XCTAssertFalse(row.hasNull(atIndex: 0))
            XCTAssertTrue(row.containsNonNullValue)
        }
        XCTAssertFalse((["a": nil, "b": nil] as Row).containsNonNullValue)
        XCTAssertFalse(Row().containsNonNullValue)
    }

    func testCoalesceReturnsTheFirstValueThatIsNotNull() {
        let row: Row = ["a": nil, "b": 2, "c": 3]
        XCTAssertEqual(row.coalesce(["missing", "a", "b", "c"]), 2)
        XCTAssertNil(row.coalesce(["a"]) as Int?)
    }
}
