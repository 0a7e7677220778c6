import BenchmarkReport
import XCTest

final class FigurePageTests: XCTestCase {
    func testOnlyTheTextBetweenTheMarksIsReplaced() {
        let page = "above\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nbelow\n"
        let replaced = FigurePage.replacing(page, with: "new\n")
        XCTAssertEqual(replaced, "above\n<!-- figures: begin -->\nnew\n<!-- figures: end -->\nbelow\n")
        XCTAssertEqual(FigurePage.replacing(replaced, with: "new\n"), replaced)
    }

    func testAPageWithoutMarksIsReplacedEntirely() {
        XCTAssertEqual(FigurePage.replacing("", with: "new\n"), "new\n")
        XCTAssertEqual(
            FigurePage.replacing("<!-- figures: end --><!-- figures: begin -->", with: "new\n"), "new\n")
    }

    func testMarksAreFoundInTheirOrder() {
        XCTAssertTrue(FigurePage.hasMarks("a<!-- figures: begin -->\n<!-- figures: end -->"))
        XCTAssertFalse(FigurePage.hasMarks("<!-- figures: end --><!-- figures: begin -->"))
        XCTAssertFalse(FigurePage.hasMarks("<!-- figures: begin -->"))
    }

    func testTheShortTableBeginsWithThePlainScenarios() {
        let cells = [
            Cell(.oneRowHit, 10_000, .vigil), Cell(.plainWriteMemory, 0, .vigil),
            Cell(.plainWriteMemory, 0, .grdb), Cell(.oneObservationPoolSQL, 1, .vigil),
        ]
        let report = Report.fixture(
            cells.map { ($0, RoundResult.rounds([$0.engine == .grdb ? 6_000 : 2_000])) })
        let rows = report.readmeMarkdown.split(separator: "\n").map(String.init)
        XCTAssertEqual(
            rows[2], "| a write, `db.execute(sql:arguments:)`, in memory | 2.00 µs | 6.00 µs | 3.00 |")
        XCTAssertTrue(rows[3].hasSuffix("| 2.00 µs |  |  |"), rows[3])
        XCTAssertTrue(rows[4].hasPrefix("| a write that matches one of 10,000"), rows[4])
        // The tables of the documentation are in the same order.
        let places = ["`plain-write-memory`", "`one-observation-pool-sql`", "`one-row-hit`"].map {
            report.markdown.range(of: $0)?.lowerBound
        }
        XCTAssertEqual(places.compactMap { $0 }, places.compactMap { $0 }.sorted())
        XCTAssertFalse(places.contains(nil))
    }
}
