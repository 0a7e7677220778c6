import BenchmarkReport
import BenchmarkWork
import CWorkload
import Foundation
import GRDBWorkload
import VigilWorkload
import XCTest

/// Runs short rounds of some scenarios in this process, on the main thread, as immediate scheduling requires.
/// `Scripts/benchmark --smoke` runs all scenarios, and checks their counts.
final class QuickRoundTests: XCTestCase {
    private let workloads: [(engine: Engine, workload: any Workload)] = [
        (.vigil, VigilWorkload.ObservedWorkload(.plain)),
        (.grdb, GRDBWorkload.ObservedWorkload(.best)),
    ]

    private func request(_ name: ScenarioName, _ n: Int) -> RoundRequest {
        RoundRequest(scenario: name, n: n, effort: .quick, writerCommand: [])
    }

    func testPlainScenariosMeasureThePreparedFormToo() throws {
        for name in Scenario.names(beginningWith: "plain-write") + Scenario.names(beginningWith: "plain-read")
        {
            for (engine, workload) in workloads {
                let metrics = try workload.run(request(name, 0)).metrics
                XCTAssertGreaterThan(metrics[Metric.prepared] ?? 0, 0, "\(name.rawValue) \(engine.rawValue)")
                XCTAssertGreaterThan(
                    metrics[Metric.ratioToPrepared] ?? 0, 0, "\(name.rawValue) \(engine.rawValue)")
            }
        }
    }

    #if PostgreSQL
        func testTheScenariosOfServersAreComparedWithC() throws {
            try XCTSkipIf(
                ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] == nil, "VIGIL_POSTGRES is not set")
            for budget in Budget.all {
                guard case .ratio(let cell, let other) = budget.measure, other.engine == .c,
                    cell.scenario.rawValue.hasPrefix("server-")
                else { continue }
                let n = Scenario.named(cell.scenario).quickSizes[0]
                XCTAssertGreaterThan(try CWorkload().run(request(other.scenario, n)).value, 0, budget.text)
            }
            let first = try VigilWorkload.ObservedWorkload(.plain).run(request(.serverFirstRow, 1_000))
            XCTAssertGreaterThanOrEqual(first.metrics[Metric.endOfQuery] ?? 0, first.value)
            XCTAssertNotNil(first.metrics[Metric.bytesOfFirstRow])
        }
    #endif

    func testContentionIsReportedPerNotification() throws {
        for (engine, workload) in workloads {
            let metrics = try workload.run(request(.poolContention, 3)).metrics
            XCTAssertGreaterThan(metrics[Metric.readPerNotification] ?? 0, 0, engine.rawValue)
            XCTAssertNil(try workload.run(request(.poolContention, 0)).metrics[Metric.readPerNotification])
        }
    }

    func testThePacedWriterKeepsItsRate() throws {
        let result = try VigilWorkload.ObservedWorkload(.plain).run(request(.poolContentionPaced, 3))
        // A busy machine may delay commits; more than the rate permits would mean that the writer has no
        // pace.
        XCTAssertLessThan(result.metrics["writes per second"] ?? .infinity, 2_200)
    }
}
