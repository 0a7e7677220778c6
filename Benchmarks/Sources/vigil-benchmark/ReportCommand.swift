import ArgumentParser
import BenchmarkReport
import Foundation

/// The files to which a report is written.
struct ReportOutputs: ParsableArguments {
    @Option(help: ArgumentHelp("Write all figures to a file, as JSON.", valueName: "file"))
    var json: String?

    @Option(
        help: ArgumentHelp(
            "Write the headline figures as Markdown tables; between the marks of an existing file, if it has them.",
            valueName: "file"))
    var markdown: String?

    @Option(
        help: ArgumentHelp(
            "Write a picture of the cost of a write against the number of observations.", valueName: "file"))
    var svg: String?

    @Option(
        help: ArgumentHelp(
            "Write a short table of Vigil beside GRDB between the marks of an existing file, such as README.md.",
            valueName: "file"))
    var readme: String?

    /// Verifies before a run that its table can be written after it.
    func validate() throws {
        guard let readme else { return }
        let page = (try? String(contentsOfFile: readme, encoding: .utf8)) ?? ""
        guard FigurePage.hasMarks(page) else {
            throw ValidationError(
                "--readme requires a file with the marks <!-- figures: begin --> and <!-- figures: end -->: \(readme)"
            )
        }
    }

    func write(_ report: Report) throws {
        if let json { try report.json().write(to: URL(fileURLWithPath: json), options: .atomic) }
        if let markdown {
            let file = URL(fileURLWithPath: markdown)
            let page = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            try Data(FigurePage.replacing(page, with: report.markdown).utf8).write(to: file, options: .atomic)
        }
        if let readme {
            let file = URL(fileURLWithPath: readme)
            let page = try String(contentsOf: file, encoding: .utf8)
            try Data(FigurePage.replacing(page, with: report.readmeMarkdown).utf8).write(
                to: file, options: .atomic)
        }
        if let svg {
            guard let picture = report.writeCostPicture else {
                throw ValidationError(
                    "--svg requires figures of unrelated-writes and one-row-hit for Vigil and GRDB at two or more sizes"
                )
            }
            try Data(picture.utf8).write(to: URL(fileURLWithPath: svg), options: .atomic)
        }
    }
}

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Print the figures of an earlier run, or convert them to tables.")

    @Argument(help: "A file that --json wrote.")
    var file: String

    @Flag(help: "Compare the figures with the budgets, and exit with status 1 if one is missed.")
    var check = false

    @OptionGroup var outputs: ReportOutputs

    func run() throws {
        let report = try Report(json: Data(contentsOf: URL(fileURLWithPath: file)))
        print(report.table)
        if let metrics = report.metricTable { print("\n" + metrics) }
        try outputs.write(report)
        guard check else { return }
        print("\n" + report.budgets)
        if !report.missedBudgets.isEmpty { throw ExitCode(1) }
    }
}
