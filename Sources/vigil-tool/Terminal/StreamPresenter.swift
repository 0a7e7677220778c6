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
        // One write, so that a reader does not receive the separator without the result.
        try output.write((isFirst ? "" : format.separator) + format.text(report))
        isFirst = false
    }

    func show(note: String?) {
        if let note { Output.note(note) }
    }

    func redraw() {}
    func finish() {}
}
