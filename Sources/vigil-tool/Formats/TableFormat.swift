/// Aligned columns below a header, and below the time if it is printed.
struct TableFormat: RowFormat {
    let separator = "\n"

    func text(_ report: WatchReport) -> String {
        let table = report.table
        let layout = TableLayout(columns: table.columns, rows: table.rows[...], width: nil)
        let lines = (report.time.map { [$0] } ?? []) + [layout.header, layout.rule("-")] + layout.lines
        return lines.joined(separator: "\n") + "\n"
    }
}
