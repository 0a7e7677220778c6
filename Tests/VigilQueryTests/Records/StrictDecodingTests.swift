import Foundation
import Vigil
import XCTest

private struct Counted: Decodable, FetchableRecord { var n: Int }
private struct Named: Decodable, FetchableRecord { var n: String }
private struct Flagged: Decodable, FetchableRecord { var n: Bool }

/// Values whose type is not the requested one. SQLite would convert them.
final class StrictDecodingTests: XCTestCase {
    private typealias Decode = (Database, String) throws -> Any

    private static func fetchOne<T: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: T.Type
    ) -> [Decode] {
        [
            { try T.fetchOne($0, sql: $1) as Any },
            { try Row.fetchAll($0, sql: $1)[0].decode(T.self, atIndex: 0) },
            { db, sql in
                let rows = try Row.fetchCursor(db, sql: sql)
                return try XCTUnwrap(rows.next()).decode(T.self, forColumn: "n")
            },
        ]
    }

    func testValuesOfAnotherTypeAreNotConverted() throws {
        let refused: [(sql: String, decodings: [Decode])] = [
            ("'12'", Self.fetchOne(Int.self) + Self.fetchOne(Double.self) + Self.fetchOne(Bool.self)),
            ("'abc'", Self.fetchOne(Int64.self) + Self.fetchOne(Float.self)),
            ("x'3132'", Self.fetchOne(Int.self) + Self.fetchOne(Double.self) + Self.fetchOne(Bool.self)),
            ("12", Self.fetchOne(String.self) + Self.fetchOne(Data.self)),
            ("1.5", Self.fetchOne(String.self) + Self.fetchOne(Data.self)),
            ("x'FF'", Self.fetchOne(String.self)),
            ("'12'", [{ try Counted.fetchOne($0, sql: $1) as Any }]),
            ("'12'", [{ try Flagged.fetchAll($0, sql: $1) }]),
            ("12", [{ try Named.fetchOne($0, sql: $1) as Any }]),
        ]
        try DatabaseQueue().read { db in
            for (value, decodings) in refused {
                for (index, decode) in decodings.enumerated() {
                    XCTAssertThrowsError(try decode(db, "SELECT \(value) AS n"), "\(value), \(index)") {
                        error in
                        XCTAssertTrue(error is RowDecodingError, "\(value), \(index): \(error)")
                    }
                }
            }
            XCTAssertEqual(try Counted.fetchOne(db, sql: "SELECT CAST('12' AS INTEGER) AS n")?.n, 12)
            XCTAssertEqual(try DatabaseValue.fetchOne(db, sql: "SELECT '12' AS n"), "12".databaseValue)
        }
    }
}
