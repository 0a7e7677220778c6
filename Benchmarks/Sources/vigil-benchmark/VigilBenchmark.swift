import ArgumentParser

@main
struct VigilBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil-benchmark",
        abstract: "Measures Vigil beside GRDB and the C library.",
        discussion: """
            Each engine works in processes of its own, in turn: first round of the first, first round of the \
            second, and so on, then the second rounds. What each scenario measures, and what not, is said by \
            --list and in the HTML page.
            """,
        subcommands: [RunCommand.self, ReportCommand.self, WorkerCommand.self, ForeignWriterCommand.self],
        defaultSubcommand: RunCommand.self)
}
