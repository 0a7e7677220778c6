/// What a terminal shows of a result: the query, the table, and a line about them.
struct ScreenFrame {
    let sql: String
    let result: QueryResult
    let changes: Int
    /// When the rows changed last, or were read first.
    let time: String
    /// What the watch waits for.
    var note: String?

    /// Lines around the rows: the query, the names, a rule, the status, and two empty ones.
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
        return note.map { "\($0) · \(text)" } ?? text
    }
}
