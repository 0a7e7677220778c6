/// Runs a shell command for each result, with the result as JSON on its standard input.
struct CommandPresenter: Presenter {
    private let shellCommand: ShellCommand

    var output: Output { .standard }
    var screen: TerminalScreen? { nil }
    var command: ShellCommand? { shellCommand }

    init(command: String) {
        shellCommand = ShellCommand(command)
    }

    func show(_ report: WatchReport) throws {
        try shellCommand.run(input: JSONFormat().text(report))
    }

    func show(note: String?) {
        if let note { Output.note(note) }
    }

    func redraw() {}
    func finish() {}
}
