import Foundation
import Vigil
import XCTest

final class RowDataTests: XCTestCase {
    func testBytesAreNotCopied() throws {
        try DatabaseQueue().inDatabase { db in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT x'0102' AS b, 'é' AS t, NULL AS n, zeroblob(0) AS z")
            let current = try XCTUnwrap(rows.next())
            for row in [current, current.copy()] {
                let places = try (0..<2).map { _ in
                    try row.withUnsafeData(atIndex: 0) { data in
                        XCTAssertEqual(data, Data([1, 2]))
                        return data?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                    }
                }
                XCTAssertEqual(places[0], places[1])
                try row.withUnsafeData(named: "T") { XCTAssertEqual($0, Data("é".utf8)) }
                try row.withUnsafeData(named: "n") { XCTAssertNil($0) }
                try row.withUnsafeData(named: "z") { XCTAssertEqual($0, Data()) }
                try row.withUnsafeData(named: "missing") { XCTAssertNil($0) }
            }
            withExtendedLifetime(rows) {}
        }
    }

    func testNumbersHaveNoBytes() {
        let row: Row = ["a": 1]
        XCTAssertThrowsError(try row.withUnsafeData(atIndex: 0) { _ in }) { error in
            XCTAssertTrue("\(error)".hasPrefix("could not decode Data from an integer value"), "\(error)")
        }
    }
}
