import BenchmarkReport
import BenchmarkWork
import CWorkload
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

    /// The command that writes in another process belongs to the executable, which runs this scenario with `--quick`. The
    /// scenarios of servers need a trait and a server.
    private var names: [ScenarioName] {
        ScenarioName.allCases.filter { name in
            ![.foreignWriteLatency, .serverWrite, .serverObserve, .serverLatency].contains(name)
        }
    }

    func testEveryEngineRunsEveryScenarioOrReportsWhyNot() throws {
        for name in names {
            for (engine, workload) in workloads {
                for n in Scenario.named(name).quickSizes {
                    let place = "\(name.rawValue) n=\(n) \(engine.rawValue)"
                    do {
                        let result = try workload.run(request(name, n))
                        XCTAssertGreaterThan(result.operations, 0, place)
                        XCTAssertGreaterThanOrEqual(result.value, 0, place)
                    } catch let absence as Absence {
                        XCTAssertFalse(absence.reason.isEmpty, place)
                        XCTAssertTrue(
                            engine == .c || engine == .vigilSQLCipher, "\(place): \(absence.reason)")
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

    func testContentionIsReportedPerNotification() throws {
        for (engine, workload) in workloads where engine == .vigil || engine == .grdb {
            let metrics = try workload.run(request(.poolContention, 3)).metrics
            XCTAssertGreaterThan(metrics[Metric.readPerNotification] ?? 0, 0, engine.rawValue)
            XCTAssertNil(try workload.run(request(.poolContention, 0)).metrics[Metric.readPerNotification])
        }
    }

    func testThePacedWriterKeepsItsRate() throws {
        let result = try VigilWorkload.ObservedWorkload(.plain).run(request(.poolContentionPaced, 3))
        // A busy machine may delay commits; more than the rate permits would mean that the writer has no pace.
        XCTAssertLessThan(result.metrics["writes per second"] ?? .infinity, 2_200)
    }
}
