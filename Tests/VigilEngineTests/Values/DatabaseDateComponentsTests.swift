import Foundation
import VigilEngine
import VigilStorage
import XCTest

final class DatabaseDateComponentsTests: XCTestCase {
    private let parts = DateComponents(
        year: 2024, month: 2, day: 9, hour: 7, minute: 5, second: 3, nanosecond: 122_999_966)

    private func assertRoundTrip(
        _ format: DatabaseDateComponents.Format, _ text: String, line: UInt = #line
    ) {
        XCTAssertEqual(
            DatabaseDateComponents(parts, format: format).databaseValue, text.databaseValue, line: line)
        let read = DatabaseDateComponents.fromDatabaseValue(text.databaseValue)
        XCTAssertEqual(read?.format, format, line: line)
        XCTAssertEqual(read?.databaseValue, text.databaseValue, line: line)
    }

    func testEachFormatIsWrittenAndRead() {
        assertRoundTrip(.YMD, "2024-02-09")
        assertRoundTrip(.YMD_HM, "2024-02-09 07:05")
        assertRoundTrip(.YMD_HMS, "2024-02-09 07:05:03")
        assertRoundTrip(.YMD_HMSS, "2024-02-09 07:05:03.123")
        assertRoundTrip(.HM, "07:05")
        assertRoundTrip(.HMS, "07:05:03")
        assertRoundTrip(.HMSS, "07:05:03.123")
    }

    func testOnlyComponentsInTheTextAreSet() {
        let time = DatabaseDateComponents.fromDatabaseValue("07:05:03.5".databaseValue)?.dateComponents
        XCTAssertEqual(time, DateComponents(hour: 7, minute: 5, second: 3, nanosecond: 500_000_000))
        let day = DatabaseDateComponents.fromDatabaseValue("2024-02-09".databaseValue)?.dateComponents
        XCTAssertEqual(day, DateComponents(year: 2024, month: 2, day: 9))
    }

    func testOffsetBecomesTheTimeZone() {
        let east = DatabaseDateComponents.fromDatabaseValue("07:05+01:30".databaseValue)?.dateComponents
        XCTAssertEqual(east?.timeZone?.secondsFromGMT(), 5400)
        let west = DatabaseDateComponents.fromDatabaseValue("2024-02-09T07:05:03-05:00".databaseValue)
        XCTAssertEqual(west?.dateComponents.timeZone?.secondsFromGMT(), -18_000)
        let zulu = DatabaseDateComponents.fromDatabaseValue("07:05Z".databaseValue)?.dateComponents
        XCTAssertEqual(zulu?.timeZone?.secondsFromGMT(), 0)
    }

    func testMissingComponentsHaveDefaults() {
        let nothing = DatabaseDateComponents(DateComponents(), format: .YMD_HMSS)
        XCTAssertEqual(nothing.databaseValue, "0000-01-01 00:00:00.000".databaseValue)
    }

    func testNanosecondsDoNotSpillIntoTheNextSecond() {
        let late = DatabaseDateComponents(DateComponents(nanosecond: 999_999_999), format: .HMSS)
        XCTAssertEqual(late.databaseValue, "00:00:00.999".databaseValue)
    }

    func testComponentsOutOfRangeAreWrittenButNotRead() {
        let odd = DatabaseDateComponents(DateComponents(year: -44, month: 123), format: .YMD)
        XCTAssertEqual(odd.databaseValue, "-44-123-01".databaseValue)
        XCTAssertNil(DatabaseDateComponents.fromDatabaseValue(odd.databaseValue))
    }

    func testOtherValuesAreNotRead() {
        for value in ["7:05", "07:5", "07-05", "24-02-09", "07:05:03,5"].map(\.databaseValue)
            + [1.databaseValue, .null]
        {
            XCTAssertNil(DatabaseDateComponents.fromDatabaseValue(value), "\(value)")
        }
    }

    func testDateComponentsAreCodedAsText() throws {
        let json = try JSONEncoder().encode([DatabaseDateComponents(parts, format: .YMD_HM)])
        XCTAssertEqual(String(decoding: json, as: UTF8.self), #"["2024-02-09 07:05"]"#)
        let read = try JSONDecoder().decode([DatabaseDateComponents].self, from: json)
        XCTAssertEqual(read.first?.format, .YMD_HM)
        XCTAssertThrowsError(
            try JSONDecoder().decode([DatabaseDateComponents].self, from: Data(#"["soon"]"#.utf8)))
    }
}
