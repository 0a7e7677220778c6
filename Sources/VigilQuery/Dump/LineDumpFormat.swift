public import VigilEngine

/// A format with a line per value, and an empty line between rows.
///
/// ```swift
/// //    id = 1
/// //  name = Arthur
/// // score = 500
/// try db.dumpRequest(Player.all(), format: .line())
/// ```
public struct LineDumpFormat: Sendable {
    /// The text for NULL.
    public var nullValue: String

    private var isFirstRow = true

    /// Creates a format.
    public init(nullValue: String = "") {
        self.nullValue = nullValue
    }
}

extension LineDumpFormat: DumpFormat {
    /// Writes a line for each column of a row.
    public mutating func writeRow(_ db: Database, row: Row, to stream: inout DumpStream) {
        let columns = row.dumpedColumns
        guard let width = columns.map(\.name.count).max() else { return }
        if !isFirstRow { stream.write("\n") }
        isFirstRow = false
        for (name, value) in columns {
            let indentation = String(repeating: " ", count: width - name.count)
            stream.writeLine("\(indentation)\(name) = \(value.plainText(null: nullValue))")
        }
    }

    /// Separates the rows from the next statement's by an empty line.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        if !isFirstRow { stream.margin() }
        isFirstRow = true
    }
}

extension DumpFormat where Self == LineDumpFormat {
    /// A line per value. See ``LineDumpFormat``.
    public static func line(nullValue: String = "") -> Self { LineDumpFormat(nullValue: nullValue) }
}
