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
}
