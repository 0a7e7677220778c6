/// Runs a shell command for each result, with the result as JSON on its standard input.
struct CommandPresenter: Presenter {
    private let command: ShellCommand

    var output: Output { .standard }
    var screen: TerminalScreen? { nil }
    var interrupt: @Sendable () -> Void { { [command] in command.terminate() } }

    init(command: String) {
        self.command = ShellCommand(command)
    }

    func show(_ report: WatchReport) throws {
        try command.run(input: JSONFormat().text(report))
    }

    func show(note: String?) {
        guard let note else { return }
        // Standard error may be closed, which must not end the watch.
        try? Output.standardError.write("vigil: note: \(note)\n")
    }

    func redraw() {}
    func finish() {}
}
