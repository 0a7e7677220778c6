import BenchmarkReport
import BenchmarkWork
import CWorkload
import Foundation
import GRDBWorkload
import VigilWorkload
import XCTest

/// Runs short rounds of the scenarios in this process. On the main thread, as immediate scheduling requires.
final class QuickRoundTests: XCTestCase {
    private let workloads: [(engine: Engine, workload: any Workload)] = [
        (.vigil, VigilWorkload.ObservedWorkload(.plain)),
        (.vigilSQLCipher, VigilWorkload.ObservedWorkload(.encrypted)),
        (.grdb, GRDBWorkload.ObservedWorkload(.best)),
        (.c, CWorkload()),
    ]

    private func request(_ name: ScenarioName, _ n: Int) -> RoundRequest {
        RoundRequest(scenario: name, n: n, effort: .quick, writerCommand: [])
    }

    /// The command that writes in another process belongs to the executable, which runs these scenarios with
    /// `--quick`.
    private var names: [ScenarioName] {
        ScenarioName.allCases.filter { ![.foreignWriteLatency, .foreignRows].contains($0) }
    }

    /// Whether an engine may report that it cannot run a scenario.
    private func mayBeAbsent(_ engine: Engine, _ name: ScenarioName) -> Bool {
        if engine == .c || engine == .vigilSQLCipher { return true }
        // Only Vigil has streams for clients.
        if engine == .grdb, name == .streamMemory { return true }
        guard name.rawValue.hasPrefix("server-") else { return false }
        #if PostgreSQL
            return engine == .grdb || ProcessInfo.processInfo.environment["VIGIL_POSTGRES"] == nil
        #else
            return true
        #endif
    }

    func testEveryEngineRunsEveryScenarioOrReportsWhyNot() throws {
        for name in names {
            for (engine, workload) in workloads {
                // A short run uses the other sizes, too.
                for n in Scenario.named(name).quickSizes.prefix(1) {
                    let place = "\(name.rawValue) n=\(n) \(engine.rawValue)"
                    do {
                        let result = try workload.run(request(name, n))
                        XCTAssertGreaterThan(result.operations, 0, place)
                        XCTAssertGreaterThanOrEqual(result.value, 0, place)
                    } catch let absence as Absence {
                        XCTAssertFalse(absence.reason.isEmpty, place)
                        XCTAssertTrue(mayBeAbsent(engine, name), "\(place): \(absence.reason)")
                    }
                }
            }
        }
    }

    func testCountsAreAsExpected() throws {
        var builder = ReportBuilder()
        for expectation in CountExpectation.all {
            for (engine, workload) in workloads where expectation.engines.contains(engine) {
                for n in Scenario.named(expectation.scenario).quickSizes {
                    guard let result = try? workload.run(request(expectation.scenario, n)) else { continue }
                    builder.add(.result(result), to: Cell(expectation.scenario, n, engine))
                }
            }
        }
        let machine = Report.Machine(
            system: "", processor: "", cores: 1, memoryBytes: 1, swift: "", sqlite: "", loadBefore: 0,
            loadAfter: 0)
        let report = Report(
            machine: machine, date: "", rounds: 1, isQuick: true, engines: workloads.map(\.engine),
            scenarios: builder.scenarios())
        XCTAssertEqual(report.wrongCounts, [])
        XCTAssertNotNil(report.engine(Cell(.oneObservationPoolSQL, 1, .vigil)))
    }

    func testPlainScenariosMeasureThePreparedFormToo() throws {
        for name in Scenario.names(beginningWith: "plain-write") + Scenario.names(beginningWith: "plain-read")
        {
            for (engine, workload) in workloads where [.vigil, .grdb].contains(engine) {
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
        for (engine, workload) in workloads where engine == .vigil || engine == .grdb {
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
