import Foundation
import VigilEngine
import VigilStorage
import XCTest

final class DateConversionTests: XCTestCase {
    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    func testDateIsStoredAsTextInUTCWithMilliseconds() {
        assertStores(date(0), as: .text("1970-01-01 00:00:00.000"))
        assertStores(date(1_709_227_800.125), as: .text("2024-02-29 17:30:00.125"))
        assertStores(date(-0.001), as: .text("1969-12-31 23:59:59.999"))
        assertStores(date(951_782_400), as: .text("2000-02-29 00:00:00.000"))
    }

    func testDateIsRoundedToTheNearestMillisecond() {
        XCTAssertEqual(date(0.9994).databaseValue, "1970-01-01 00:00:00.999".databaseValue)
        XCTAssertEqual(date(86_399.9996).databaseValue, "1970-01-02 00:00:00.000".databaseValue)
        XCTAssertEqual(date(-0.0001).databaseValue, "1970-01-01 00:00:00.000".databaseValue)
    }

    func testMillisecondsSurviveARoundTrip() {
        for millisecond in stride(from: -62_000_000_000_000, to: 250_000_000_000_000, by: 987_654_321_123) {
            let text = date(Double(millisecond) / 1000).databaseValue
            XCTAssertEqual(Date.fromDatabaseValue(text)?.databaseValue, text)
        }
    }

    func testDatesAreTheClosestOnesToTheirMilliseconds() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try XCTUnwrap(TimeZone(secondsFromGMT: 0))
        let date = try XCTUnwrap(Date.fromDatabaseValue("2015-07-22 01:02:03.00456".databaseValue))
        XCTAssertEqual(date.timeIntervalSinceReferenceDate, 459_219_723.004)
        XCTAssertLessThan(abs(calendar.component(.nanosecond, from: date) - 4_000_000), 10)
        for second in stride(from: -1_000_000_000, to: 2_000_000_000, by: 123_456_789) {
            let date = Date(timeIntervalSinceReferenceDate: Double("\(second).123") ?? .nan)
            XCTAssertEqual(Date.fromDatabaseValue(date.databaseValue), date)
        }
        let julian = try XCTUnwrap(Date(julianDay: 2_457_225.543_090_324))
        XCTAssertEqual(julian.timeIntervalSinceReferenceDate, 459_219_723.004)
    }

    func testDatesMatchFoundationsGregorianCalendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try XCTUnwrap(TimeZone(secondsFromGMT: 0))
        for day in stride(from: -719_000, to: 2_932_000, by: 487) {
            let date = date(Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let text = DatabaseDateComponents(parts, format: .YMD_HMSS).databaseValue
            XCTAssertEqual(date.databaseValue, text)
            XCTAssertEqual(Date.fromDatabaseValue(text), date)
        }
    }

    func testTheGregorianCalendarBeginsOn15October1582() {
        assertStores(date(-12_219_292_800), as: .text("1582-10-15 00:00:00.000"))
        assertStores(date(-12_219_292_801), as: .text("1582-10-04 23:59:59.000"))
        assertStores(Date.distantPast, as: .text("0001-01-01 00:00:00.000"))
        assertStores(Date.distantFuture, as: .text("4001-01-01 00:00:00.000"))
        assertReads(.text("1500-02-29"), as: date(-14_825_894_400))
    }

    func testDateWithoutFourDigitYearIsStoredAsNumber() {
        assertStores(date(253_402_300_799.999), as: .text("9999-12-31 23:59:59.999"))
        assertStores(date(253_402_300_800), as: .real(253_402_300_800))
        assertStores(date(-1e12), as: .real(-1e12))
        XCTAssertTrue(date(.nan).databaseValue.isNull)
        XCTAssertEqual(date(.infinity).databaseValue.storage, .double(.infinity))
    }

    func testDatesAreReadInTheFormatsOfSQLiteAndISO8601() {
        assertReads(.text("2024-02-29"), as: date(1_709_164_800))
        for text in [
            "2024-02-29 17:30", "2024-02-29T17:30", "2024-02-29 17:30:00", "2024-02-29T17:30:00",
            "2024-02-29T17:30Z", "2024-02-29T17:30:00Z", "2024-02-29T17:30:00.000Z", "2024-02-29 19:30+02:00",
            "2024-02-29T12:00:00-05:30", "2024-03-01T03:30:00.0+10:00", "2024-02-29 17:30:00.0009",
        ] {
            assertReads(.text(text), as: date(1_709_227_800))
            assertReads(.blob(Array(text.utf8)), as: date(1_709_227_800))
        }
    }

    func testSecondsAreReadWithThreeDecimals() {
        assertReads(.text("1970-01-01 00:00:00.1"), as: date(0.1))
        assertReads(.text("1970-01-01 00:00:00.12Z"), as: date(0.12))
        assertReads(.text("1970-01-01 00:00:00.123"), as: date(0.123))
        assertReads(.text("1970-01-01 00:00:00.123999999999+00:00"), as: date(0.123))
    }

    /// A server with the time zone Europe/Paris writes a time of 1900 in this way.
    func testOffsetsAreReadWithSeconds() {
        let midnight = date(-2_208_988_800)
        assertReads(.text("1900-01-01 00:09:21+00:09:21"), as: midnight)
        assertReads(.text("1899-12-31 23:59:59.000-00:00:01"), as: midnight)
        assertReads(.text("1900-01-01 00:09:21+00:09:"), as: Date?.none)
        assertReads(.text("1900-01-01 00:09:21+00:09:60"), as: Date?.none)
    }

    func testNumbersAreReadAsSecondsSince1970() {
        assertReads(.integer(-1), as: date(-1))
        assertReads(.real(1.5), as: date(1.5))
    }

    func testOverflowingDaysAndTimesAreReadAsTheNextOnes() {
        assertReads(.text("2023-02-30"), as: date(1_677_715_200))
        assertReads(.text("1970-01-01 24:00"), as: date(86_400))
        assertReads(.text("1970-01-01 23:59:60"), as: date(86_400))
    }

    func testOtherTextIsNotReadAsDate() {
        for text in [
            "", "1970", "1970-01", "1970-1-01", "70-01-01", "1970-01-01 ", " 1970-01-01", "1970-01-01 00",
            "1970-01-01 00:00:", "1970-01-01 00:00:00.", "1970-01-01_00:00", "1970-01-01 00:00:00 Z",
            "1970-01-01 00:00+0100", "1970-01-01 00:00+01", "1970-01-01Z", "1970-13-01", "1970-00-01",
            "1970-01-32", "1970-01-00", "1970-01-01 25:00", "1970-01-01 00:60", "1970-01-01 00:00:61",
            "1970-01-01 00:00+15:00", "1970-01-01 00:00Zjunk", "12:30", "-970-01-01", "1970-01-0é", "now",
        ] {
            assertReads(.text(text), as: Date?.none)
        }
        assertReads(.null, as: Date?.none)
        assertReads(.blob([0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), as: Date?.none)
    }

    func testJulianDayIsConvertedWithMilliseconds() {
        XCTAssertEqual(Date(julianDay: 2_440_587.5), date(0))
        XCTAssertEqual(Date(julianDay: 2_440_588), date(43_200))
        XCTAssertEqual(Date(julianDay: 2_460_370.229166667), date(1_709_227_800))
        XCTAssertNil(Date(julianDay: .nan))
    }
}
