import Foundation
import Vigil

/// The layout of a text table in a given width. Columns of numbers are aligned right, others left. Text that
/// does not fit is truncated with `…`.
struct TableLayout {
    /// Text with its width in cells: measuring takes time.
    private struct Cell {
        let text: String
        let width: Int

        init(_ text: String) {
            self.text = text
            width = TerminalText.width(text)
        }
    }

    private var cells: [[Cell]]
    private let names: [Cell]
    private var widths: [Int]
    private let isRightAligned: [Bool]

    private static let gap = "  "
    /// The minimum width of a column. Columns are left out when they would be narrower.
    private static let narrowest = 4
    private static let bytesOfBlob = 16

    /// - Parameter width: The maximum width of a line in terminal cells, or `nil` if unlimited.
    init(columns: [String], rows: ArraySlice<[DatabaseValue]>, width: Int?) {
        let longest = width ?? Int.max
        var names = columns.map { Cell(TerminalText.safe($0, longest: longest)) }
        var cells = rows.map { row in row.map { Cell(Self.text($0, longest: longest)) } }
        isRightAligned = columns.indices.map { column in
            let kinds = rows.compactMap { row in row[column].isNull ? nil : Self.isNumber(row[column]) }
            return !kinds.isEmpty && kinds.allSatisfy { $0 }
        }
        widths = columns.indices.map { column in
            cells.reduce(names[column].width) { max($0, $1[column].width) }
        }
        if let width {
            let kept = Self.narrow(&widths, to: width)
            if kept < columns.count {
                let ellipsis = Cell("…")
                names = names.prefix(kept) + [ellipsis]
                cells = cells.map { $0.prefix(kept) + [ellipsis] }
            }
        }
        self.names = names
        self.cells = cells
    }

    var header: String { line(names) }

    func rule(_ stroke: String) -> String {
        widths.map { stroke.repeated($0) }.joined(separator: Self.gap)
    }

    var lines: [String] { cells.map(line) }

    /// Returns a line without blanks at its end.
    private func line(_ cells: [Cell]) -> String {
        var line = ""
        for (column, (cell, width)) in zip(cells, widths).enumerated() {
            if column > 0 { line += Self.gap }
            let cell = cell.width > width ? Cell(TerminalText.cut(cell.text, to: width)) : cell
            let blanks = " ".repeated(width - cell.width)
            let isRightAligned = column < isRightAligned.count && isRightAligned[column]
            line += isRightAligned ? blanks + cell.text : cell.text + blanks
        }
        return line.withoutTrailingBlanks
    }

    /// Narrows columns, the widest first, and leaves out the last ones if that is not enough.
    ///
    /// - Parameter widths: The widths of the columns. If some columns are left out and there is room, the
    ///   last width is that of the `…` in their place.
    /// - Returns: The number of remaining columns.
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

extension String {
    /// `String(repeating:count:)` takes longer: it appends the text once at a time.
    fileprivate func repeated(_ count: Int) -> String {
        var result = ""
        var block = self
        var rest = count
        while rest > 0 {
            if !rest.isMultiple(of: 2) { result += block }
            rest /= 2
            if rest > 0 { block += block }
        }
        return result
    }

    fileprivate var withoutTrailingBlanks: String {
        var end = utf8.endIndex
        while end > utf8.startIndex, utf8[utf8.index(before: end)] == UInt8(ascii: " ") {
            end = utf8.index(before: end)
        }
        return end == utf8.endIndex ? self : String(self[..<end])
    }
}
