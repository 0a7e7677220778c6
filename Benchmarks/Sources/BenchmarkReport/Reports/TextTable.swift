/// A table of text. The first column is aligned to the left, the others to the right.
public struct TextTable: Sendable {
    /// The titles of the columns.
    public var header: [String]
    /// The cells of the rows, as many in each row as there are columns.
    public var rows: [[String]] = []

    public init(header: [String]) {
        self.header = header
    }

    /// The table for a terminal, padded with spaces.
    public var text: String {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            cells.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - cells[column].count)
                return column == 0 ? cells[column] + padding : padding + cells[column]
            }.joined(separator: "  ")
        }
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
        return ([line(header), rule] + rows.map(line)).joined(separator: "\n")
    }

    /// The table in Markdown.
    public var markdown: String {
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        let rule = header.indices.map { $0 == 0 ? "---" : "---:" }
        return ([line(header), "|" + rule.joined(separator: "|") + "|"] + rows.map(line))
            .joined(separator: "\n")
    }
}
