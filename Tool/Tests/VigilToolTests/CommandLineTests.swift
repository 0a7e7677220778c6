import Foundation
import Vigil
import XCTest

@testable import vigil_tool

final class CommandLineTests: XCTestCase {
    private func storage(_ argument: String) -> DatabaseValue.Storage {
        BoundValue(argument: argument).databaseValue.storage
    }

    func testNumbersAreParsed() {
        for (argument, value) in [("0", 0), ("12", 12), ("-5", -5), ("-9223372036854775808", Int64.min)] {
            XCTAssertEqual(storage(argument), .int64(value))
        }
        for (argument, value) in [
            ("1.5", 1.5), ("-.5", -0.5), ("2.", 2.0), ("1e3", 1000.0), ("0.1E-2", 0.001),
        ] {
            XCTAssertEqual(storage(argument), .double(value))
        }
    }

    func testNumbersThatLoseInformationAreText() {
        for argument in [
            "", "007", "-01.5", "+1", "1e999", "9223372036854775808", "1e", ".", "-", "1,5", "0x1F", "nan",
            "inf", "12 ",
            "١", "null", "number:12",
        ] {
            XCTAssertEqual(storage(argument), .string(argument))
        }
    }

    func testNullTextAndBlobsAreParsed() {
        XCTAssertEqual(storage("NULL"), .null)
        XCTAssertEqual(storage("text:NULL"), .string("NULL"))
        XCTAssertEqual(storage("text:text:1"), .string("text:1"))
        XCTAssertEqual(storage("x'0aFF'"), .blob(Data([10, 255])))
        XCTAssertEqual(storage("X''"), .blob(Data()))
        for argument in ["x'0'", "x'0g'", "x'", "x'+1'", "'a'"] {
            XCTAssertEqual(storage(argument), .string(argument))
        }
    }

    func testLeadingDashesAreNotOptions() {
        let marked = LeadingDashes.marked(["-5", "-.5e3", "-a", "--for", "-", "5"])
        XCTAssertEqual(marked.map { $0.hasPrefix("-") }, [false, false, true, true, true, false])
        XCTAssertEqual(storage(marked[0]), .int64(-5))
        XCTAssertEqual(storage(marked[1]), .double(-500))
    }

    func testSQLThatBeginsWithACommentIsNoOption() {
        for sql in ["-- best\nSELECT 1", "--best\nSELECT 1", "--\nSELECT 1", "-- a=b\nSELECT 1"] {
            let marked = LeadingDashes.marked([sql])[0]
            XCTAssertFalse(marked.hasPrefix("-"), sql)
            XCTAssertEqual(LeadingDashes.unmarked(marked), sql)
        }
        for option in ["--", "--diff", "--key-file=a b", "--count", "-a b", "--format=json"] {
            XCTAssertEqual(LeadingDashes.marked([option]), [option])
        }
        XCTAssertEqual(LeadingDashes.unmarked("dashed:a"), "dashed:a")
    }

    func testErrorsArePrintedOnOneLine() {
        XCTAssertEqual(Failure.line(for: Failure("a\nb\r\nc")), "vigil: error: a b c")
        let error = DatabaseError(resultCode: .SQLITE_BUSY, sql: "SELECT 1")
        XCTAssertEqual(Failure.line(for: error), "vigil: error: database is locked")
    }
}
