import BenchmarkReport
import BenchmarkWork
import CWorkload
import Foundation

/// What is measured in which order.
struct Plan {
    let scenarios: [ScenarioName]
    let engines: [Engine]
    let rounds: Int
    let isQuick: Bool
    private var builder = ReportBuilder()
    private var progress = ProgressLine()
    private var slowRounds: [Cell: Int] = [:]

    /// A cell whose rounds take longer than so many seconds is measured no more often than so many times.
    private static let slow = (seconds: 10.0, rounds: 3)

    init(scenarios: [ScenarioName], engines: [Engine], rounds: Int, isQuick: Bool) {
        self.scenarios = scenarios
        self.engines = engines
        self.rounds = rounds
        self.isQuick = isQuick
    }

    /// All rounds of a scenario before the next: each round goes through all sizes, and at each size through all
    /// engines. So what is compared was measured within seconds, and a machine that drifts hits all alike.
    mutating func run() throws -> Report {
        var machine = Report.Machine.current
        let total = scenarios.reduce(0) { $0 + sizes(of: $1).count } * rounds * engines.count
        var done = 0
        for name in scenarios {
            for round in 1...rounds {
                for n in sizes(of: name) {
                    for engine in engines {
                        let cell = Cell(name, n, engine)
                        done += 1
                        if builder.isAbsent(cell) || slowRounds[cell, default: 0] >= Plan.slow.rounds {
                            continue
                        }
                        progress.show(
                            "\(done)/\(total)  \(name.rawValue) n=\(n)  round \(round)/\(rounds)  \(engine.rawValue)"
                        )
                        let start = now()
                        builder.add(try WorkerProcess(cell, isQuick: isQuick).run(), to: cell)
                        if Double(now() - start) / 1e9 > Plan.slow.seconds {
                            slowRounds[cell, default: 0] += 1
                        }
                    }
                }
            }
            progress.finish(summary(of: name))
        }
        machine.loadAfter = Report.Machine.load
        return Report(
            machine: machine, date: Report.Machine.today, rounds: rounds, isQuick: isQuick,
            engines: engines, scenarios: builder.scenarios())
    }

    private func sizes(of name: ScenarioName) -> [Int] {
        let scenario = Scenario.named(name)
        return isQuick ? scenario.quickSizes : scenario.sizes
    }

    private func summary(of name: ScenarioName) -> String {
        let figures = sizes(of: name).compactMap { n -> String? in
            guard let scenario = builder.scenario(name, n: n) else { return nil }
            let texts = engines.map { engine in
                scenario.engines[engine.rawValue].map { Figure.text($0.median, unit: scenario.unit) } ?? "–"
            }
            return "n=\(n): \(texts.joined(separator: " | "))"
        }
        return "\(name.rawValue)  \(figures.joined(separator: "   "))"
    }
}
