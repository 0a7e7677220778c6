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
                case .figure(let cell), .fetches(let cell), .metric(_, let cell): [cell]
                case .metricRatio(_, let cell, let other): [cell, other]
                }
            for cell in cells {
                XCTAssertTrue(
                    Scenario.named(cell.scenario).sizes.contains(cell.n), "\(cell.scenario) \(cell.n)")
                XCTAssertTrue(Engine.standard.contains(cell.engine))
                XCTAssertTrue(Scenario.standard.contains(cell.scenario))
            }
        }
    }

    func testAFurtherMeasurementIsTheMedianOfItsRounds() {
        let cell = Cell(.plainWriteMemory, 0, .vigil)
        let rounds = [1.2, 1.4, 9].map {
            RoundResult(value: 1, operations: 1, metrics: [Metric.ratioToPrepared: $0])
        }
        let report = Report.fixture([(cell, rounds)])
        let budget = Budget(text: "", measure: .metric(Metric.ratioToPrepared, cell), limit: 1.3)
        XCTAssertEqual(budget.verdict(on: report), .missed(1.4))
        XCTAssertEqual(report.missedBudgets.count, 1)
        XCTAssertEqual(
            Budget(text: "", measure: .metric("other", cell), limit: 1).verdict(on: report), .open)
    }

    func testRatiosOfFurtherMeasurementsAreComputedPerRound() {
        func rounds(_ values: [Double]) -> [RoundResult] {
            values.map {
                RoundResult(value: 1, operations: 1, metrics: [Metric.readPerNotification: $0])
            }
        }
        let (vigil, grdb) = (Cell(.poolContention, 200, .vigil), Cell(.poolContention, 200, .grdb))
        func verdict(_ values: [Double]) -> Budget.Verdict {
            Budget(
                text: "", measure: .metricRatio(Metric.readPerNotification, vigil, over: grdb), limit: 1,
                isStrict: true
            ).verdict(on: .fixture([(vigil, rounds(values)), (grdb, rounds([2, 20, 200]))]))
        }
        // The ratio of the medians is 1 / 20, that of the rounds 1 / 2.
        XCTAssertEqual(verdict([1, 10, 100]), .kept(0.5))
        XCTAssertEqual(verdict([1, 20, 200]), .missed(1))
    }

    func testEveryPlainScenarioWithALimitHasItsBudgets() {
        func limits(_ name: ScenarioName) -> [Double] {
            Budget.all.filter { budget in
                switch budget.measure {
                case .ratio(let cell, _), .metric(_, let cell): cell.scenario == name
                default: false
                }
            }.map(\.limit)
        }
        for name in Scenario.names(beginningWith: "plain-write") + Scenario.names(beginningWith: "plain-read")
        {
            XCTAssertEqual(limits(name), [1.3, 0.5], name.rawValue)
        }
        for name in Scenario.names(beginningWith: "one-observation") {
            XCTAssertEqual(limits(name), [0.7], name.rawValue)
        }
    }

    func testReportsWithoutRoundsOfFurtherMeasurementsCanBeDecoded() throws {
        let cell = Cell(.poolContention, 200, .vigil)
        let report = Report.fixture([
            (cell, [RoundResult(value: 1, operations: 1, metrics: [Metric.readPerNotification: 2])])
        ])
        let json = String(decoding: try report.json(), as: UTF8.self)
        let older = json.replacingOccurrences(of: "\"metricRounds\"", with: "\"unknown\"")
        XCTAssertNotEqual(json, older)
        XCTAssertNil(try Report(json: Data(older.utf8)).engine(cell)?.metricRounds)
    }
}
