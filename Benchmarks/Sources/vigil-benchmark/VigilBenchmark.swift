import ArgumentParser

@main
struct VigilBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vigil-benchmark",
        abstract: "Measure Vigil, GRDB and the C library side by side.",
        discussion: """
            Each round of each engine runs in a process of its own. Engines take turns: the first round of each \
            engine, then the second rounds, and so on. --list describes what each scenario measures and \
            what it leaves out.
            """,
        subcommands: [RunCommand.self, ReportCommand.self, WorkerCommand.self, ForeignWriterCommand.self],
        defaultSubcommand: RunCommand.self)
}
