import BenchmarkReport
import XCTest

final class ReportTests: XCTestCase {
    private var report: Report {
        .fixture([
            (Cell(.oneRowHit, 1, .vigil), RoundResult.rounds([1_000, 2_000], fetches: 1)),
            (Cell(.oneRowHit, 1, .grdb), RoundResult.rounds([3_000, 10_000], fetches: 1)),
            (Cell(.oneRowHit, 10, .vigil), RoundResult.rounds([1_500, 1_500])),
            (Cell(.oneRowHit, 10, .grdb), RoundResult.rounds([15_000, 30_000])),
        ])
    }

    func testAReportCanBeDecodedFromItsJSON() throws {
        let copy = try Report(json: report.json())
        XCTAssertEqual(copy.scenarios.map(\.n), [1, 10])
        XCTAssertEqual(copy.engine(Cell(.oneRowHit, 1, .grdb))?.rounds, [3_000, 10_000])
        XCTAssertEqual(copy.table, report.table)
    }

    func testJSONHasStableKeys() throws {
        let object = try JSONSerialization.jsonObject(with: report.json()) as? [String: Any]
        let scenario = (object?["scenarios"] as? [[String: Any]])?.first
        XCTAssertNotNil(object?["machine"])
        XCTAssertEqual(scenario?["name"] as? String, "one-row-hit")
        XCTAssertEqual(scenario?["n"] as? Int, 1)
        XCTAssertEqual(scenario?["unit"] as? String, "ns per write")
        let vigil = (scenario?["engines"] as? [String: [String: Any]])?["vigil"]
        XCTAssertEqual(vigil?["median"] as? Double, 1_500)
        XCTAssertEqual(vigil?["fetches"] as? Double, 1)
        XCTAssertNotNil(vigil?["peakBytes"])
        let ratio = (scenario?["ratios"] as? [String: [String: Double]])?["grdb/vigil"]
        XCTAssertEqual(ratio, ["median": 4, "min": 3, "max": 5])
    }

    func testAnAbsentEngineHasAReasonAndNoFigure() throws {
        var builder = ReportBuilder()
        let cell = Cell(.foreignWriteLatency, 1, .grdb)
        builder.add(.absent(reason: "not supported"), to: cell)
        builder.add(.result(RoundResult(value: 1, operations: 1)), to: Cell(.foreignWriteLatency, 1, .vigil))
        XCTAssertTrue(builder.isAbsent(cell))
        let scenario = try XCTUnwrap(builder.scenario(.foreignWriteLatency, n: 1))
        XCTAssertEqual(scenario.absent, ["grdb": "not supported"])
        XCTAssertNil(scenario.engines["grdb"])
        XCTAssertEqual(scenario.ratios, [:])
    }

    func testAShortRunIsMarkedAsMeaningless() {
        let report = Report.fixture([], isQuick: true)
        XCTAssertTrue(report.markdown.contains("meaningless"))
    }

    func testEveryScenarioIsInTheTableWithDescriptionsAndSizes() {
        XCTAssertEqual(Scenario.all.map(\.name), ScenarioName.allCases)
        for scenario in Scenario.all {
            XCTAssertFalse(scenario.measures.isEmpty || scenario.leavesOut.isEmpty)
            XCTAssertFalse(scenario.sizes.isEmpty || scenario.quickSizes.isEmpty)
        }
    }

    func testASizeIsSkippedIfAnOperationWouldTakeTooLong() {
        var builder = ReportBuilder()
        func slowness(_ engine: Engine, _ n: Int) -> String? {
            builder.slowness(of: Cell(.equalObservations, n, engine), sizes: [1, 1_000, 10_000])
        }
        for (engine, figure) in [(Engine.grdb, 300_000_000.0), (.vigil, 7_000_000)] {
            builder.add(
                .result(RoundResult(value: figure, operations: 1)),
                to: Cell(.equalObservations, 1_000, engine))
        }
        XCTAssertEqual(
            slowness(.grdb, 10_000), "300 ms with 1,000 observations; not measured with 10,000")
        XCTAssertNil(slowness(.vigil, 10_000))
        XCTAssertNil(slowness(.grdb, 1_000))
        XCTAssertNil(slowness(.c, 10_000))
        XCTAssertNil(builder.slowness(of: Cell(.equalObservations, 100_000, .grdb), sizes: [1_000, 100_000]))
        // A size that was measured in an earlier round is measured again.
        builder.add(
            .result(RoundResult(value: 1, operations: 1)), to: Cell(.equalObservations, 10_000, .grdb))
        XCTAssertNil(slowness(.grdb, 10_000))
    }

    func testTheFirstWordsOfANameSelectItsGroup() {
        XCTAssertEqual(
            Scenario.names(beginningWith: "plain-write"),
            [.plainWriteMemory, .plainWriteQueue, .plainWritePool])
        XCTAssertEqual(
            Scenario.names(beginningWith: "pool-contention"), [.poolContention, .poolContentionPaced])
        XCTAssertEqual(Scenario.names(beginningWith: "one-row-hit"), [.oneRowHit])
        XCTAssertEqual(Scenario.names(beginningWith: "plain-w"), [])
    }

    func testOnlyTheLargestScenariosAreLeftOutOfARun() {
        XCTAssertEqual(Set(ScenarioName.allCases).subtracting(Scenario.standard), [.scale, .serverMatch])
    }

    func testFurtherFiguresHaveATableOfTheirOwn() throws {
        XCTAssertNil(report.metricTable)
        let result = RoundResult(
            value: 1, operations: 1, metrics: [Metric.prepared: 2_500, Metric.ratioToPrepared: 1.25])
        let report = Report.fixture([(Cell(.plainReadPool, 0, .vigil), [result])])
        let table = try XCTUnwrap(report.metricTable)
        XCTAssertTrue(table.contains("plain-read-pool: \(Metric.prepared)"), table)
        XCTAssertTrue(table.contains("2.50 µs"), table)
        XCTAssertTrue(table.contains("1.25"), table)
    }
}
