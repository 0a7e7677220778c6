import ArgumentParser
import BenchmarkReport
import BenchmarkWork
import Foundation

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measure, and print a report. This is the default subcommand.")

    @Flag(help: "List the scenarios and what they measure, and exit.")
    var list = false

    @Option(
        parsing: .upToNextOption,
        help: "Run only these scenarios, given by their names or the first words of their names.")
    var only: [ScenarioGroup] = []

    @Option(
        parsing: .upToNextOption,
        help:
            "Run only these engines: vigil, vigil-sqlcipher, grdb, c, or grdb-tracking, which does not run by default."
    )
    var engine: [Engine] = []

    @Option(help: "The number of rounds; 5 unless given.")
    var rounds: Int?

    @Flag(help: "Run briefly with small sizes, to verify that everything works. The times are meaningless.")
    var quick = false

    @Flag(help: "Compare the figures with the budgets, and exit with status 1 if one is missed.")
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
        let selected = only.flatMap(\.names)
        var plan = Plan(
            scenarios: only.isEmpty ? Scenario.standard : ScenarioName.allCases.filter(selected.contains),
            engines: engine.isEmpty ? Engine.standard : Engine.allCases.filter(engine.contains),
            rounds: rounds ?? (quick ? 1 : 5), isQuick: quick)
        let report = try plan.run()
        print("\n" + report.table)
        if let metrics = report.metricTable { print("\n" + metrics) }
        if quick { print("\nA short run: its times are meaningless.") }
        try outputs.write(report)
        let countsHold = printCounts(of: report)
        let isComplete = !quick || printMissingResults(of: report)
        let budgetsHold = !check || printBudgets(of: report)
        if !countsHold || !isComplete || !budgetsHold { throw ExitCode(1) }
    }

    private func printCounts(of report: Report) -> Bool {
        for line in report.wrongCounts { print("WRONG: \(line)") }
        if report.wrongCounts.isEmpty { print("\nThe numbers of fetches and callbacks are as expected.") }
        return report.wrongCounts.isEmpty
    }

    private func printMissingResults(of report: Report) -> Bool {
        for line in report.missingResults { print("MISSING: \(line)") }
        return report.missingResults.isEmpty
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
            \(scenario.name.rawValue)  (\(scenario.sizeName): \(scenario.sizes.map(String.init).joined(separator: ", "))\(scenario.runsByDefault ? "" : "; only with --only"))
                Measures (\(scenario.unit)): \(scenario.measures)
                Does not include: \(scenario.leavesOut)
                Statements: \(scenario.statements.text).
            """
        }.joined(separator: "\n")
    }
}

/// Scenarios with the same first words, or a single one.
struct ScenarioGroup: ExpressibleByArgument {
    let names: [ScenarioName]

    init?(argument: String) {
        names = Scenario.names(beginningWith: argument)
        if names.isEmpty { return nil }
    }
}

extension ScenarioName: ExpressibleByArgument {}
extension Engine: ExpressibleByArgument {}
