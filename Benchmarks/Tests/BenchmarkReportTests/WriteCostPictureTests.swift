import BenchmarkReport
import Foundation
import XCTest

#if canImport(FoundationXML)
    import FoundationXML
#endif

final class WriteCostPictureTests: XCTestCase {
    private var report: Report {
        .fixture([
            (Cell(.unrelatedWrites, 0, .vigil), RoundResult.rounds([2_000])),
            (Cell(.unrelatedWrites, 1, .vigil), RoundResult.rounds([3_000])),
            (Cell(.unrelatedWrites, 1_000, .vigil), RoundResult.rounds([3_100])),
            (Cell(.unrelatedWrites, 1, .grdb), RoundResult.rounds([9_000])),
            (Cell(.unrelatedWrites, 1_000, .grdb), RoundResult.rounds([1_200_000])),
            (Cell(.oneRowHit, 1, .vigil), RoundResult.rounds([15_000])),
            (Cell(.oneRowHit, 1_000, .vigil), RoundResult.rounds([16_000])),
            (Cell(.oneRowHit, 1, .grdb), RoundResult.rounds([22_000])),
            (Cell(.oneRowHit, 1_000, .grdb), RoundResult.rounds([2_300_000])),
        ])
    }

    func testThePictureIsXMLWithATitleAndADescription() throws {
        let picture = try XCTUnwrap(report.writeCostPicture)
        XCTAssertTrue(XMLParser(data: Data(picture.utf8)).parse())
        XCTAssertTrue(picture.contains("<title id=\"title\">The cost of one write"))
        XCTAssertTrue(picture.contains("Vigil 3.00 µs with 1 and 3.10 µs with 1,000"), picture)
        XCTAssertTrue(picture.contains("GRDB 22.0 µs with 1 and 2.30 ms with 1,000"), picture)
        XCTAssertTrue(picture.contains("prefers-color-scheme: dark"))
    }

    func testAPictureRequiresBothScenarios() {
        XCTAssertNil(Report.fixture([]).writeCostPicture)
        XCTAssertNil(
            Report.fixture([(Cell(.oneRowHit, 1, .vigil), RoundResult.rounds([1]))]).writeCostPicture)
    }

    /// If this fails, run
    /// `Scripts/benchmark report Documentation/figures.json --svg Documentation/write-cost.svg`.
    func testThePictureOfTheDocumentationIsDrawnFromItsFigures() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Documentation")
        let report = try Report(json: Data(contentsOf: folder.appendingPathComponent("figures.json")))
        let picture = try String(
            contentsOf: folder.appendingPathComponent("write-cost.svg"), encoding: .utf8)
        XCTAssertTrue(report.writeCostPicture == picture, "the picture is not drawn from figures.json")
        XCTAssertFalse(report.isQuick)
    }
}
