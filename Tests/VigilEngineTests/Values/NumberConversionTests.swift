import Foundation
import VigilEngine
import VigilStorage
import XCTest

final class NumberConversionTests: XCTestCase {
    func testIntegersAreStoredAsIntegers() {
        assertStores(Int64.max, as: .integer(.max))
        assertStores(Int64.min, as: .integer(.min))
        assertStores(Int8.min, as: .integer(-128))
        assertStores(UInt64(Int64.max), as: .integer(.max))
        assertStores(UInt8.max, as: .integer(255))
    }

    func testIntegerOutOfRangeIsNotRead() {
        assertReads(.integer(128), as: Int8?.none)
        assertReads(.integer(-1), as: UInt64?.none)
        assertReads(.integer(-1), as: UInt?.none)
        assertReads(.integer(Int64(UInt32.max) + 1), as: UInt32?.none)
        assertReads(.integer(Int64(Int32.max)), as: Int32.max)
    }

    func testRealIsReadAsIntegerWithoutItsFraction() {
        assertReads(.real(1), as: 1)
        assertReads(.real(-0.0), as: 0)
        assertReads(.real(1.5), as: 1)
        assertReads(.real(-1.5), as: -1)
        assertReads(.real(255), as: UInt8.max)
        assertReads(.real(256), as: UInt8?.none)
        assertReads(.real(-9_223_372_036_854_775_808), as: Int64.min)
        assertReads(.real(9_223_372_036_854_775_808), as: Int64?.none)
        assertReads(.real(9_223_372_036_854_775_808), as: UInt64(1) << 63)
        assertReads(.real(.nan), as: Int?.none)
        assertReads(.real(.infinity), as: Int?.none)
    }

    func testFloatingPointNumbersAreStoredAsReals() {
        assertStores(1.5, as: .real(1.5))
        assertStores(Float(0.1), as: .real(Double(Float(0.1))))
        assertStores(CGFloat(0.1), as: .real(0.1))
        assertStores(Double.infinity, as: .real(.infinity))
        assertStores(-Double.greatestFiniteMagnitude, as: .real(-.greatestFiniteMagnitude))
        XCTAssertEqual(withCell(.real(.nan)) { Double(cell: $0)?.isNaN }, true)
    }

    func testStoredNumberIsRoundedToTheNearestFloatingPointNumber() {
        assertReads(.integer(3), as: 3.0)
        assertReads(.integer(9_007_199_254_740_993), as: 9_007_199_254_740_992.0)
        assertReads(.integer(16_777_217), as: Float(16_777_216))
        assertReads(.real(1e300), as: Float.infinity)
    }

    func testTextAndBlobsAreNotReadAsNumbers() {
        for stored: StorageValue in [.text("1"), .blob([0x31]), .null] {
            assertReads(stored, as: Int?.none)
            assertReads(stored, as: Double?.none)
            assertReads(stored, as: Bool?.none)
        }
    }

    func testBoolIsReadFromNumbers() {
        assertStores(true, as: .integer(1))
        assertStores(false, as: .integer(0))
        assertReads(.integer(-2), as: true)
        assertReads(.real(0.1), as: true)
        assertReads(.real(-0.0), as: false)
    }

    func testIntegralFoundationNumbersAreStoredAsIntegers() {
        XCTAssertEqual(NSNumber(value: Int64.max).databaseValue.storage, .int64(.max))
        XCTAssertEqual(NSNumber(value: true).databaseValue.storage, .int64(1))
        XCTAssertEqual(NSNumber(value: 1.0).databaseValue.storage, .double(1))
        XCTAssertEqual(NSDecimalNumber(string: "12").databaseValue.storage, .int64(12))
        XCTAssertEqual(NSDecimalNumber(string: "1.5").databaseValue.storage, .double(1.5))
        XCTAssertEqual(NSDecimalNumber(string: "9223372036854775808").databaseValue.storage, .double(0x1p63))
    }

    func testFoundationNumbersAreReadFromNumbersAndText() {
        XCTAssertEqual(NSNumber.fromDatabaseValue(Int64.min.databaseValue)?.int64Value, .min)
        XCTAssertEqual(NSNumber.fromDatabaseValue(0.5.databaseValue)?.doubleValue, 0.5)
        XCTAssertEqual(NSDecimalNumber.fromDatabaseValue(12.databaseValue), NSDecimalNumber(string: "12"))
        XCTAssertEqual(
            NSNumber.fromDatabaseValue("0.1".databaseValue) as? NSDecimalNumber,
            NSDecimalNumber(string: "0.1"))
        XCTAssertNil(NSNumber.fromDatabaseValue("one".databaseValue))
    }

    func testDecimalsKeepAllDigits() {
        for digits in ["12345678901234567890123456789012345678", "-0.00000000000000000001", "0", "100"] {
            assertStores(Decimal(string: digits) ?? .nan, as: .text(digits))
        }
        assertReads(.integer(.max), as: Decimal(Int64.max))
        assertReads(.real(0.5), as: Decimal(string: "0.5"))
        assertReads(.text("+1.5e3"), as: Decimal(1500))
        assertReads(.text(".5"), as: Decimal(string: "0.5"))
    }

    func testRealsAreReadAsDecimalsWithTheirDigits() {
        for digits in ["3.133", "-0.07", "3.333333333", "19.99", "0.00001", "1e20", "0"] {
            assertReads(.real(Double(digits) ?? .nan), as: Decimal(string: digits))
        }
        XCTAssertEqual(
            NSDecimalNumber.fromDatabaseValue(3.133.databaseValue), NSDecimalNumber(string: "3.133"))
    }

    func testOnlyNumericTextIsReadAsDecimal() {
        for text in ["", "-", ".", "12abc", "1.2.3", " 1", "1 ", "1e", "NaN", "0x10", "1,5", "١"] {
            assertReads(.text(text), as: Decimal?.none)
        }
        assertReads(.real(.infinity), as: Decimal?.none)
        XCTAssertTrue(Decimal.nan.databaseValue.isNull)
    }
}
