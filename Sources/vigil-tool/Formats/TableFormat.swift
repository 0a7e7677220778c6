/// Aligned columns below a header.
struct TableFormat: RowFormat {
    let separator = "\n"

    func text(_ result: QueryResult, number: Int) -> String {
        let layout = TableLayout(columns: result.columns, rows: result.rows[...], width: nil)
        return ([layout.header, layout.rule("-")] + layout.lines).map { $0 + "\n" }.joined()
    }
}
