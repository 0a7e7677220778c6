import XCTest

@testable import LiveBoard

final class PageTests: XCTestCase {
    private let runner = "<b>&\"'"
    private let escaped = "&lt;b&gt;&amp;&quot;&#39;"

    private func board(_ name: String) -> Board {
        Board(
            latest: [Run(id: 7, runner: name, meters: 42_195, date: "2026-05-31 17:45:00")],
            totals: .init(runs: 1, runners: 1, meters: 42_195, longest: 42_195),
            runners: [.init(name: name, runs: 1, meters: 42_195)])
    }

    func testInterpolatedTextIsEscapedAndFragmentsAreNot() {
        let item: HTML = "<li>\(runner)</li>"
        XCTAssertEqual(item.text, "<li>\(escaped)</li>")
        XCTAssertEqual(
            ("<ol>\([item, item])\(item)</ol>" as HTML).text.components(separatedBy: item.text).count, 4)
    }

    func testNamesAreEscapedInTheListTheChartAndTheForm() {
        let list = Page.board(board(runner)).text
        XCTAssertFalse(list.contains("<b>"), list)
        XCTAssertTrue(list.contains("<span class=\"name\">\(escaped)</span>"), list)
        XCTAssertTrue(list.contains("<g data-name=\"\(escaped)\">"), list)
        let status = Broadcast.Status(browsers: 1, observations: 1, fetches: 1, updates: 1)
        let refusal = (message: runner, fields: RunFields(runner: runner, kilometers: runner))
        let page = Page.document(board("Ada"), status, refusal: refusal).text
        XCTAssertTrue(page.contains("<p id=\"message\" role=\"alert\">\(escaped)</p>"), page)
        XCTAssertEqual(page.components(separatedBy: "value=\"\(escaped)\"").count, 3, page)
    }

    func testLongNamesAreShortenedInTheChartOnly() {
        let text = Page.board(board("Wilhelmina Featherstonehaugh")).text
        XCTAssertTrue(text.contains("<span class=\"name\">Wilhelmina Featherstonehaugh</span>"), text)
        XCTAssertTrue(text.contains(">Wilhelmina Fea…</text>"), text)
    }

    func testTheChartHasATextForScreenReaders() {
        var board = board("Ada")
        board.runners.append(.init(name: runner, runs: 2, meters: 1_000))
        let text = Page.board(board).text
        XCTAssertTrue(
            text.contains("role=\"img\" aria-label=\"Kilometers per runner: Ada 42.2, \(escaped) 1.0\""), text
        )
    }

    func testAllTimesAreInUTC() {
        let text = Page.board(board("Ada")).text
        XCTAssertTrue(
            text.contains("<time datetime=\"2026-05-31 17:45:00Z\">2026-05-31 17:45 UTC</time>"), text)
        for script in [Page.script, Page.listScript] {
            XCTAssertFalse(script.contains("Date("), "scripts leave times as they are")
        }
    }

    func testHiddenPagesCloseTheirStream() {
        for script in [Page.script, Page.listScript] {
            XCTAssertTrue(script.contains(#"addEventListener("visibilitychange", connectIfVisible)"#))
        }
    }

    func testAnEmptyBoardHasNoChart() {
        let empty = Board(latest: [], totals: .init(runs: 0, runners: 0, meters: 0, longest: 0), runners: [])
        let text = Page.board(empty).text
        XCTAssertFalse(text.contains("<svg"), text)
        XCTAssertTrue(text.contains("No runs yet."), text)
    }

    func testDistancesHaveOneDecimal() {
        XCTAssertEqual(
            [0, 49, 50, 949, 950, 42_195].map(Page.kilometers), ["0.0", "0.0", "0.1", "0.9", "1.0", "42.2"])
    }

    func testTheStatusCountsBrowsers() {
        let six = Page.status(.init(browsers: 6, observations: 1, fetches: 2, updates: 12)).text
        XCTAssertTrue(six.contains("browsers <b id=\"browsers\">6</b>"), six)
    }
}
