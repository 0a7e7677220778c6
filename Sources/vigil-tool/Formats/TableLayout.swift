import Foundation
import Vigil

/// The layout of a text table in a given width. Columns of numbers are aligned right, others left. Text that does
/// not fit is truncated with `…`.
struct TableLayout {
    private var cells: [[String]]
    private let names: [String]
    private var widths: [Int]
    private let isRightAligned: [Bool]

    private static let gap = "  "
    /// The minimum width of a column. Columns are left out when they would be narrower.
    private static let narrowest = 4
    private static let bytesOfBlob = 16

    /// - Parameter width: The maximum width of a line in terminal cells, or `nil` if unlimited.
    init(columns: [String], rows: ArraySlice<[DatabaseValue]>, width: Int?) {
        let longest = width ?? Int.max
        var names = columns.map { TerminalText.safe($0, longest: longest) }
        var cells = rows.map { row in row.map { Self.text($0, longest: longest) } }
        isRightAligned = columns.indices.map { column in
            let kinds = rows.compactMap { row in row[column].isNull ? nil : Self.isNumber(row[column]) }
            return !kinds.isEmpty && kinds.allSatisfy { $0 }
        }
        widths = columns.indices.map { column in
            cells.reduce(TerminalText.width(names[column])) { max($0, TerminalText.width($1[column])) }
        }
        if let width {
            let kept = Self.narrow(&widths, to: width)
            if kept < columns.count {
                names = names.prefix(kept) + ["…"]
                cells = cells.map { $0.prefix(kept) + ["…"] }
            }
        }
        self.names = names
        self.cells = cells
    }

    var header: String { line(names) }

    func rule(_ stroke: Character) -> String {
        line(widths.map { String(repeating: stroke, count: $0) })
    }

    var lines: [String] { cells.map(line) }

    private func line(_ cells: [String]) -> String {
        let line = zip(cells, widths).enumerated().map { column, cell in
            let text = TerminalText.cut(cell.0, to: cell.1)
            let blanks = String(repeating: " ", count: cell.1 - TerminalText.width(text))
            return column < isRightAligned.count && isRightAligned[column] ? blanks + text : text + blanks
        }.joined(separator: Self.gap)
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// Narrows columns, the widest first, and leaves out the last ones if that is not enough.
    ///
    /// - Parameter widths: The widths of the columns. If some columns are left out and there is room, the last
    ///   width is that of the `…` in their place.
    /// - Returns: The number of columns that are kept.
    private static func narrow(_ widths: inout [Int], to total: Int) -> Int {
        func sum(_ widths: some Collection<Int>) -> Int {
            widths.reduce(0, +) + gap.count * max(0, widths.count - 1)
        }
        widths = widths.map { min($0, max(1, total)) }
        var kept = widths.count
        let ellipsisWidth = 1
        while kept > 1,
            sum(widths.prefix(kept).map { min($0, narrowest) } + (kept < widths.count ? [ellipsisWidth] : []))
                > total
        {
            kept -= 1
        }
        let hasRoomForEllipsis = total >= 2 + gap.count
        widths = widths.prefix(kept) + (kept < widths.count && hasRoomForEllipsis ? [ellipsisWidth] : [])
        while sum(widths) > total, let widest = widths.max(), widest > 1,
            let place = widths.firstIndex(of: widest)
        {
            widths[place] -= 1
        }
        return kept
    }

    private static func isNumber(_ value: DatabaseValue) -> Bool {
        switch value.storage {
        case .int64, .double: true
        case .null, .string, .blob: false
        }
    }

    private static func text(_ value: DatabaseValue, longest: Int) -> String {
        switch value.storage {
        case .null: return "NULL"
        case .int64(let integer): return "\(integer)"
        case .double(let real): return real.description
        case .string(let text): return TerminalText.safe(text, longest: longest)
        case .blob(let data):
            guard data.count > bytesOfBlob else { return data.blobLiteral }
            return data.prefix(bytesOfBlob).blobLiteral.dropLast() + "…' (\(data.count) bytes)"
        }
    }
}
