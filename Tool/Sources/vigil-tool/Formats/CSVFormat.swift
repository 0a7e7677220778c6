import Foundation
import Vigil

/// Comma-separated values (RFC 4180). NULL is an empty field, empty text is `""`, and blobs are `x'0aff'`.
///
/// In a result with a single column, NULL is `""` too, because an empty line separates results.
struct CSVFormat: RowFormat {
    /// Whether the output is a terminal. Text is escaped for terminals, and exact in files and pipes.
    var isForTerminal = false
    let separator = "\r\n"

    func text(_ report: WatchReport) -> String {
        var table = report.table
        if let time = report.time {
            table = QueryResult(
                columns: ["time"] + table.columns, rows: table.rows.map { [time.databaseValue] + $0 })
        }
        let isNarrow = table.columns.count == 1
        let rows = table.rows.map { row in
            row.map { $0.isNull && isNarrow ? "\"\"" : field($0) }.joined(separator: ",")
        }
        return ([table.columns.map(field).joined(separator: ",")] + rows).map { $0 + "\r\n" }.joined()
    }

    private func field(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: ""
        case .int64(let integer): "\(integer)"
        case .double(let real): real.isNaN ? "NaN" : JSONText.real(real)
        case .string(let text): field(text)
        case .blob(let data): data.blobLiteral
        }
    }

    private func field(_ exactText: String) -> String {
        let text = isForTerminal ? TerminalText.safe(exactText) : exactText
        let needsQuotes = text.isEmpty || text.utf8.contains { ",\"\r\n".utf8.contains($0) }
        guard needsQuotes else { return text }
        // The quotes of a name are doubled in the same way.
        return text.quotedDatabaseIdentifier
    }
}
