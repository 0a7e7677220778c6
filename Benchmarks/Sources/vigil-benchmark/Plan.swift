import BenchmarkReport
import BenchmarkWork
import CWorkload
import Foundation

/// The scenarios and engines to measure, and their order.
struct Plan {
    let scenarios: [ScenarioName]
    let engines: [Engine]
    let rounds: Int
    let isQuick: Bool
    private var builder = ReportBuilder()
    private var progress = ProgressLine()
    private var seconds: [Cell: Double] = [:]

    /// A cell whose rounds have taken more than this number of seconds in total is not measured again.
    private static let mostSeconds = 20.0

    init(scenarios: [ScenarioName], engines: [Engine], rounds: Int, isQuick: Bool) {
        self.scenarios = scenarios
        self.engines = engines
        self.rounds = rounds
        self.isQuick = isQuick
    }

    /// Runs all rounds of a scenario before the rounds of the next.
    ///
    /// Each round runs all sizes, and at each size all engines. Figures that are compared are therefore
    /// measured within seconds, and a change of the machine's speed affects all engines alike.
    mutating func run() throws -> Report {
        var machine = Report.Machine.current
        let total = scenarios.reduce(0) { $0 + turns(of: $1).count }
        var done = 0
        for name in scenarios {
            for (cell, round) in turns(of: name) {
                done += 1
                progress.show(
                    "\(done)/\(total)  \(name.rawValue) n=\(cell.n)  round \(round)/\(rounds)  \(cell.engine.rawValue)"
                )
                try measure(cell)
            }
            progress.finish(summary(of: name))
        }
        machine.loadAfter = Report.Machine.load
        return Report(
            machine: machine, date: Report.Machine.today, rounds: rounds, isQuick: isQuick,
            engines: engines, scenarios: builder.scenarios())
    }

    private mutating func measure(_ cell: Cell) throws {
        if builder.isAbsent(cell) || seconds[cell, default: 0] > Plan.mostSeconds { return }
        if let reason = builder.slowness(of: cell, sizes: sizes(of: cell.scenario)) {
            return builder.add(.absent(reason: reason), to: cell)
        }
        let start = now()
        builder.add(try WorkerProcess(cell, isQuick: isQuick).run(), to: cell)
        seconds[cell, default: 0] += Double(now() - start) / 1e9
    }

    private func turns(of name: ScenarioName) -> [(cell: Cell, round: Int)] {
        (1...rounds).flatMap { round in
            sizes(of: name).flatMap { n in engines.map { (Cell(name, n, $0), round) } }
        }
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
