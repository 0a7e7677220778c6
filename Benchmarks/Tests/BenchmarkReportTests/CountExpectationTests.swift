import BenchmarkReport
import XCTest

final class CountExpectationTests: XCTestCase {
    func testAnExcessFetchIsReported() {
        let cell = Cell(.unrelatedWrites, 10, .vigil)
        let right = Report.fixture([
            (cell, RoundResult.rounds([1], operations: 100, fetches: 0, notifications: 0))
        ])
        XCTAssertEqual(right.wrongCounts, [])
        let wrong = Report.fixture([
            (cell, RoundResult.rounds([1], operations: 100, fetches: 1, notifications: 0))
        ])
        XCTAssertEqual(
            wrong.wrongCounts,
            ["unrelated-writes n=10 vigil: fetches per operation: 0.01, expected 0"])
    }

    func testAMissingCallbackIsReported() {
        let cell = Cell(.bulkTransaction, 100, .vigil)
        let report = Report.fixture([(cell, RoundResult.rounds([1], operations: 2, notifications: 199))])
        XCTAssertEqual(
            report.wrongCounts,
            ["bulk-transaction n=100 vigil: notifications per operation: 99.5, expected 100"])
    }

    func testOtherEnginesHaveNoExpectations() {
        let cell = Cell(.unrelatedWrites, 10, .grdb)
        let report = Report.fixture([(cell, RoundResult.rounds([1], fetches: 7, notifications: 7))])
        XCTAssertEqual(report.wrongCounts, [])
    }

    func testAMissingCountIsNotZero() {
        let report = Report.fixture([(Cell(.unrelatedWrites, 10, .vigil), RoundResult.rounds([1]))])
        XCTAssertEqual(report.wrongCounts.count, 2)
    }

    func testAMissingResultIsReportedUnlessTheEngineLacksTheFeature() {
        var builder = ReportBuilder()
        for name in [ScenarioName.unrelatedWrites, .foreignRows, .serverWrite] {
            for engine in [Engine.vigil, .vigilSQLCipher, .grdb, .c] {
                builder.add(.absent(reason: "it failed"), to: Cell(name, 3, engine))
            }
        }
        var report = Report.fixture([])
        report.scenarios = builder.scenarios()
        XCTAssertEqual(
            report.missingResults,
            [
                "unrelated-writes n=3 vigil: it failed", "unrelated-writes n=3 grdb: it failed",
                "foreign-rows n=3 vigil: it failed",
            ])
    }
}
