/// Writes one result behind the other.
struct StreamPresenter: Presenter {
    let output: Output
    let format: any RowFormat
    private var isFirst = true

    var screen: TerminalScreen? { nil }

    init(output: Output, format: any RowFormat) {
        self.output = output
        self.format = format
    }

    mutating func show(_ result: QueryResult, number: Int) throws {
        // Written together, so that a reader has all of a result or nothing.
        try output.write((isFirst ? "" : format.separator) + format.text(result, number: number))
        isFirst = false
    }

    func show(note: String?) {
        guard let note else { return }
        // Standard error may be closed.
        try? Output.standardError.write("vigil: note: \(note)\n")
    }

    func redraw() {}
    func finish() {}
}
