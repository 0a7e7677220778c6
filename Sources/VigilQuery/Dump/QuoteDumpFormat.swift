public import VigilEngine

/// A format with a line per row, and the values as SQL literals.
///
/// ```swift
/// // 1,'Arthur',NULL
/// try db.dumpRequest(Player.all(), format: .quote())
/// ```
public struct QuoteDumpFormat: Sendable {
    /// Whether the first line contains the names of the columns, if there are rows.
    public var header: Bool

    /// The text between two values.
    public var separator: String

    private var lines = DumpedLines()

    /// Creates a format.
    public init(header: Bool = false, separator: String = ",") {
        self.header = header
        self.separator = separator
    }
}

extension QuoteDumpFormat: DumpFormat {
    /// Writes a row as a line, after the header if it is the first one.
    public mutating func writeRow(_ db: Database, row: Row, to stream: inout DumpStream) {
        if header {
            lines.writeHeader(of: row, separator: separator, to: &stream) { $0.databaseValue.sqlLiteral }
        }
        lines.write(row, separator: separator, to: &stream) { $0.sqlLiteral }
    }

    /// Prepares the format for another statement.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        lines.end()
    }
}

extension DumpFormat where Self == QuoteDumpFormat {
    /// A line per row, with the values as SQL literals. See ``QuoteDumpFormat``.
    public static func quote(header: Bool = false, separator: String = ",") -> Self {
        QuoteDumpFormat(header: header, separator: separator)
    }
}
