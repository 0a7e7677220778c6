import XCTest

@testable import LiveBoard

final class NewRunTests: XCTestCase {
    private func message(_ runner: String, _ kilometers: String) -> String? {
        do {
            _ = try NewRun(runner: runner, kilometers: kilometers)
            return nil
        } catch {
            return error.message
        }
    }

    func testValidFieldsAreTrimmed() throws {
        let run = try NewRun(runner: " Ada \n", kilometers: " 7,25 ")
        XCTAssertEqual(run.runner, "Ada")
        XCTAssertEqual(run.meters, 7250)
        XCTAssertEqual(try NewRun(runner: "Ada", kilometers: "500").meters, 500_000)
        XCTAssertEqual(try NewRun(runner: "Ada", kilometers: ".1").meters, 100)
    }

    func testNamesAreStoredAndFoundInOneForm() throws {
        let (short, long) = ("Jos\u{e9}", "Jose\u{301}")
        let stored = Array(short.utf8)
        XCTAssertEqual(Array(try NewRun(runner: long, kilometers: "5").runner.utf8), stored)
        guard case .runs(let runner?, _) = try BoardQuery.runs(runner: long, limit: "5"),
            case .total(let name) = try BoardQuery.total(of: long)
        else { return XCTFail("other queries") }
        XCTAssertEqual([runner, name].map { Array($0.utf8) }, [stored, stored])
    }

    func testInvalidNamesAreRefused() {
        for name in ["", " ", "\t\n"] { XCTAssertEqual(message(name, "7"), "Enter the name of the runner.") }
        XCTAssertEqual(message("A\u{0}da", "7"), "Enter a name without control characters.")
        XCTAssertNil(message(String(repeating: "é", count: 40), "7"))
        XCTAssertEqual(
            message(String(repeating: "é", count: 41), "7"), "Enter a name of at most 40 characters.")
        // Characters of 7 and of 5 code points.
        XCTAssertEqual(
            message(String(repeating: "👨‍👩‍👧‍👦", count: 29), "7"), "Enter a name with simpler characters.")
        XCTAssertNil(message(String(repeating: "👨‍👩‍👧", count: 40), "7"))
    }

    func testInvalidDistancesAreRefused() {
        for distance in ["", "seven", "1.2.3", "0x10", "1e2", "nan", "inf", "-1", "٣", "."] {
            XCTAssertEqual(
                message("Ada", distance), "Enter the distance as a number of kilometers, such as 7.5.",
                distance)
        }
        for distance in ["0", "0.09", "500.1", "99999999999999999999999999"] {
            XCTAssertEqual(
                message("Ada", distance), "Enter a distance between 0.1 and 500 kilometers.", distance)
        }
    }
}
