/// Shows results to the user, or to the program that reads the output.
protocol Presenter {
    /// The output of the results. The watch ends when its reader closes it.
    var output: Output { get }
    /// The terminal to restore when the process ends or is suspended, if any.
    var screen: TerminalScreen? { get }

    /// The command that ``show(_:)`` runs, which may take long, if any. It is terminated when the watch ends.
    var command: ShellCommand? { get }

    /// Shows a result.
    mutating func show(_ report: WatchReport) throws

    /// Shows what the watch is waiting for. `nil` removes the note.
    mutating func show(note: String?) throws

    /// Draws again, after the terminal was resized or the process resumed.
    func redraw() throws

    /// Prints what remains on the terminal when the watch ends.
    func finish() throws
}

extension Presenter {
    var command: ShellCommand? { nil }
}
