import Foundation
import Vigil

/// Formats results as text for files, pipes and other programs.
protocol RowFormat: Sendable {
    var separator: String { get }

    /// Returns the text of a report, including the last line terminator.
    func text(_ report: WatchReport) -> String
}

extension Data {
    /// The data as an SQL blob literal: `x'0aff'`.
    var blobLiteral: String {
        let digits = Array("0123456789abcdef".utf8)
        return "x'"
            + String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self) + "'"
    }
}

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
