import Foundation
import VigilEngine
import VigilStorage
import XCTest

final class DatabaseValueTests: XCTestCase {
    func testStorageHasTheKindOfTheValue() {
        XCTAssertEqual(DatabaseValue.null.storage, .null)
        XCTAssertEqual(1.databaseValue.storage, .int64(1))
        XCTAssertEqual(1.0.databaseValue.storage, .double(1))
        XCTAssertEqual("a".databaseValue.storage, .string("a"))
        XCTAssertEqual(Data([1]).databaseValue.storage, .blob(Data([1])))
        XCTAssertNotEqual(1.databaseValue.storage, 1.0.databaseValue.storage)
        XCTAssertEqual(Data([1]).databaseValue.storage.value as? Data, Data([1]))
        XCTAssertNil(DatabaseValue.null.storage.value)
    }

    func testOnlyNullIsNull() {
        XCTAssertTrue(DatabaseValue.null.isNull)
        for value in [0.databaseValue, "".databaseValue, Data().databaseValue] {
            XCTAssertFalse(value.isNull)
        }
    }

    func testUntypedValueIsConvertedIfPossible() {
        XCTAssertEqual(DatabaseValue(value: 1 as Any), 1.databaseValue)
        XCTAssertNil(DatabaseValue(value: [1]))
    }

    private func assertEqual(_ a: DatabaseValue, _ b: DatabaseValue, line: UInt = #line) {
        XCTAssertEqual(a, b, line: line)
        XCTAssertEqual(b, a, line: line)
        XCTAssertEqual(a.hashValue, b.hashValue, line: line)
    }

    private func assertDiffer(_ a: DatabaseValue, _ b: DatabaseValue, line: UInt = #line) {
        XCTAssertNotEqual(a, b, line: line)
        XCTAssertNotEqual(b, a, line: line)
        XCTAssertFalse(a.isIdentical(to: b), line: line)
    }

    func testIntegersCanEqualReals() {
        assertEqual(1.databaseValue, 1.0.databaseValue)
        assertEqual(0.databaseValue, (-0.0).databaseValue)
        assertEqual(0.0.databaseValue, (-0.0).databaseValue)
        assertEqual(Int64.min.databaseValue, (-0x1p63).databaseValue)
        assertEqual(Double.nan.databaseValue, (-Double.nan).databaseValue)
        assertDiffer(1.databaseValue, 1.5.databaseValue)
    }

    func testNumbersAreComparedExactly() {
        let limit: Int64 = 9_007_199_254_740_992
        assertEqual(limit.databaseValue, 0x1p53.databaseValue)
        assertDiffer((limit + 1).databaseValue, 0x1p53.databaseValue)
        assertDiffer(limit.databaseValue, (limit + 1).databaseValue)
        assertDiffer(Int64.max.databaseValue, 0x1p63.databaseValue)
        assertDiffer(0.databaseValue, Double.infinity.databaseValue)
    }

    func testTextIsComparedByBytes() {
        assertEqual("é".databaseValue, "\u{E9}".databaseValue)
        assertDiffer("\u{E9}".databaseValue, "e\u{301}".databaseValue)
        assertDiffer("a".databaseValue, "A".databaseValue)
    }

    func testValuesOfDifferentKindsDiffer() {
        let values = [.null, 1.databaseValue, "1".databaseValue, Data("1".utf8).databaseValue]
        for (i, a) in values.enumerated() {
            for (j, b) in values.enumerated() where i != j { assertDiffer(a, b) }
            XCTAssertTrue(a.isIdentical(to: a))
        }
        XCTAssertEqual(Set(values + values).count, 4)
    }

    func testEqualNumbersOfDifferentKindsAreNotIdentical() {
        XCTAssertFalse(1.databaseValue.isIdentical(to: 1.0.databaseValue))
        XCTAssertFalse(0.0.databaseValue.isIdentical(to: (-0.0).databaseValue))
        XCTAssertTrue(1.0.databaseValue.isIdentical(to: 1.0.databaseValue))
    }

    func testDescriptionQuotesTextAndCountsBytes() {
        XCTAssertEqual(DatabaseValue.null.description, "NULL")
        XCTAssertEqual(Int64.min.databaseValue.description, "-9223372036854775808")
        XCTAssertEqual(1.0.databaseValue.description, "1.0")
        XCTAssertEqual(1e300.databaseValue.description, "1e+300")
        XCTAssertEqual((-Double.infinity).databaseValue.description, "-inf")
        XCTAssertEqual("it\n\t\r".databaseValue.description, "\"it\\n\\t\\r\"")
        XCTAssertEqual("".databaseValue.description, "\"\"")
        XCTAssertEqual(Data([0, 0x0A, 0xFF]).databaseValue.description, "Data(3 bytes)")
    }
}
