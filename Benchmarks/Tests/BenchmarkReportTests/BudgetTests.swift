import BenchmarkReport
import XCTest

final class BudgetTests: XCTestCase {
    private let numerator = Cell(.writeBaseline, 0, .vigil)
    private let denominator = Cell(.writeBaseline, 0, .c)

    private func verdict(_ values: [Double], limit: Double, isStrict: Bool = false) -> Budget.Verdict {
        let report = Report.fixture([
            (numerator, RoundResult.rounds(values)), (denominator, RoundResult.rounds([1, 1, 1])),
        ])
        return Budget(
            text: "", measure: .ratio(numerator, over: denominator), limit: limit, isStrict: isStrict
        ).verdict(on: report)
    }

    func testABudgetIsKeptUpToItsLimit() {
        XCTAssertEqual(verdict([1, 2, 9], limit: 2), .kept(2))
        XCTAssertEqual(verdict([1, 2.5, 9], limit: 2), .missed(2.5))
    }

    func testAStrictBudgetIsMissedAtItsLimit() {
        XCTAssertEqual(verdict([1, 2, 9], limit: 2, isStrict: true), .missed(2))
        XCTAssertEqual(verdict([1, 1.9, 9], limit: 2, isStrict: true), .kept(1.9))
    }

    func testABudgetWithoutMeasurementsIsOpen() {
        let report = Report.fixture([(numerator, RoundResult.rounds([1]))])
        for budget in Budget.all { XCTAssertEqual(budget.verdict(on: report), .open) }
        XCTAssertEqual(report.missedBudgets, [])
    }

    func testFetchesAreCountedPerOperation() {
        let cell = Cell(.predicateHit, 1_000, .vigil)
        let report = Report.fixture([(cell, RoundResult.rounds([5, 5], operations: 10, fetches: 30))])
        XCTAssertEqual(Budget(text: "", measure: .fetches(cell), limit: 1).verdict(on: report), .missed(3))
        XCTAssertEqual(report.missedBudgets.count, 1)
        XCTAssertTrue(report.missedBudgets[0].hasSuffix(": 3.00, at most 1"), report.missedBudgets[0])
    }

    /// A budget on a cell that no scenario measures would always be open.
    func testEveryBudgetIsMeasuredByAScenario() {
        for budget in Budget.all {
            let cells =
                switch budget.measure {
                case .ratio(let cell, let other): [cell, other]
                case .figure(let cell), .fetches(let cell): [cell]
                }
            for cell in cells {
                XCTAssertTrue(
                    Scenario.named(cell.scenario).sizes.contains(cell.n), "\(cell.scenario) \(cell.n)")
                XCTAssertTrue(Engine.standard.contains(cell.engine))
            }
        }
    }
}
