import ArgumentParser
import BenchmarkReport
import BenchmarkWork
import Foundation

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measures, and reports. This is what happens without a subcommand.")

    @Flag(help: "List the scenarios with what they measure, and do nothing else.")
    var list = false

    @Option(parsing: .upToNextOption, help: "Only these scenarios.")
    var only: [ScenarioName] = []

    @Option(
        parsing: .upToNextOption,
        help:
            "Only these engines: vigil, vigil-sqlcipher, grdb, c; and grdb-tracking, which is not among them otherwise."
    )
    var engine: [Engine] = []

    @Option(help: "How often everything is measured.")
    var rounds: Int?

    @Flag(help: "A short run with small sizes. It shows that everything works; its times say nothing.")
    var quick = false

    @Flag(help: "Compare with the budgets, and exit with status 1 if one is missed.")
    var check = false

    @OptionGroup var outputs: ReportOutputs

    func validate() throws {
        if let rounds, rounds < 1 { throw ValidationError("--rounds must be at least 1") }
    }

    func run() throws {
        if list {
            print(Self.scenarioList)
            return
        }
        var plan = Plan(
            scenarios: only.isEmpty ? ScenarioName.allCases : ScenarioName.allCases.filter(only.contains),
            engines: engine.isEmpty ? Engine.standard : Engine.allCases.filter(engine.contains),
            rounds: rounds ?? (quick ? 1 : 11), isQuick: quick)
        let report = try plan.run()
        print("\n" + report.table)
        if quick { print("\nA short run: its times say nothing.") }
        try outputs.write(report)
        let countsHold = printCounts(of: report)
        let budgetsHold = !check || printBudgets(of: report)
        if !countsHold || !budgetsHold { throw ExitCode(1) }
    }

    private func printCounts(of report: Report) -> Bool {
        for line in report.wrongCounts { print("WRONG: \(line)") }
        if report.wrongCounts.isEmpty { print("\nFetches and callbacks are as many as they must be.") }
        return report.wrongCounts.isEmpty
    }

    private func printBudgets(of report: Report) -> Bool {
        print("\n" + report.budgets)
        let missed = report.missedBudgets
        if !missed.isEmpty { print("\nBudgets missed:\n" + missed.joined(separator: "\n")) }
        return missed.isEmpty
    }

    private static var scenarioList: String {
        Scenario.all.map { scenario in
            """
            \(scenario.name.rawValue)  (\(scenario.sizeName): \(scenario.sizes.map(String.init).joined(separator: ", ")))
                Measures, in \(scenario.unit): \(scenario.measures)
                Leaves out: \(scenario.leavesOut)
            """
        }.joined(separator: "\n")
    }
}

extension ScenarioName: ExpressibleByArgument {}
extension Engine: ExpressibleByArgument {}
