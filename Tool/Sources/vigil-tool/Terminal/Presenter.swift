/// Shows results to the user, or to another program.
protocol Presenter {
    /// The output of the results. The watch ends when its reader closes it.
    var output: Output { get }
    /// The terminal to restore when the process ends or is suspended, if any.
    var screen: TerminalScreen? { get }

    mutating func show(_ report: WatchReport) throws

    /// Shows what the watch is waiting for. `nil` removes the note.
    mutating func show(note: String?) throws

    /// Draws again, after the terminal was resized or the process resumed.
    func redraw() throws

    /// Prints what remains on the terminal when the watch ends.
    func finish() throws
}

/// Writes results one after the other.
struct StreamPresenter: Presenter {
    let output: Output
    let format: any RowFormat
    private var isFirst = true

    var screen: TerminalScreen? { nil }

    init(output: Output, format: any RowFormat) {
        self.output = output
        self.format = format
    }

    mutating func show(_ report: WatchReport) throws {
        // One write: a reader never receives the separator without the result.
        try output.write((isFirst ? "" : format.separator) + format.text(report))
        isFirst = false
    }

    func show(note: String?) {
        if let note { Output.note(note) }
    }

    func redraw() {}
    func finish() {}
}
