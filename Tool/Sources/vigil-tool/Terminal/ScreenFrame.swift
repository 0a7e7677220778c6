/// The lines on a terminal for a result: the query, the table, and a status line.
struct ScreenFrame {
    let sql: String
    let result: QueryResult
    let changes: Int
    /// The time of the last change, or of the initial result.
    let time: String
    /// The reason why the watch is waiting, if it is.
    var note: String?

    /// The number of lines around the rows: the query, the header, a rule, the status, and two empty lines.
    private static let linesAround = 6

    func lines(size: TerminalScreen.Size, style: TextStyle) -> [String] {
        let shown = result.rows.prefix(max(1, size.rows - Self.linesAround))
        let table = TableLayout(columns: result.columns, rows: shown, width: size.columns)
        let query = TerminalText.safe(
            sql.split(whereSeparator: \.isWhitespace).joined(separator: " "), longest: size.columns)
        let lines =
            [style.faint(TerminalText.cut(query, to: size.columns)), ""]
            + [style.bold(table.header), style.faint(table.rule("─"))] + table.lines
            + ["", style.faint(TerminalText.cut(status(shown: shown.count), to: size.columns))]
        return Array(lines.prefix(size.rows))
    }

    private func status(shown: Int) -> String {
        let rows = "\(result.rows.count) \(result.rows.count == 1 ? "row" : "rows")"
        let hidden = shown < result.rows.count ? ", the first \(shown) shown" : ""
        let updates =
            switch changes {
            case 0: "no update since \(time)"
            case 1: "1 update, at \(time)"
            default: "\(changes) updates, the last at \(time)"
            }
        let text = "\(rows)\(hidden) · \(updates)"
        return note.map { "\(TerminalText.safe($0)) · \(text)" } ?? text
    }
}
