import Foundation
public import VigilEngine

/// A format with a line per row, and the values in their plain form.
///
/// ```swift
/// // 1|Arthur|500
/// // 2|Barbara|1000
/// try db.dumpRequest(Player.all(), format: .list())
/// ```
///
/// Blobs are written as text. Use ``QuoteDumpFormat`` or ``JSONDumpFormat`` for an unambiguous output.
public struct ListDumpFormat: Sendable {
    /// Whether the first line contains the names of the columns, if there are rows.
    public var header: Bool

    /// The text between two values.
    public var separator: String

    /// The text for NULL.
    public var nullValue: String

    private var lines = DumpedLines()

    /// Creates a format.
    public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
        self.header = header
        self.separator = separator
        self.nullValue = nullValue
    }
}

extension ListDumpFormat: DumpFormat {
    /// Writes a row as a line, after the header if it is the first one.
    public mutating func writeRow(_ db: Database, row: Row, to stream: inout DumpStream) {
        if header { lines.writeHeader(of: row, separator: separator, to: &stream) { $0 } }
        let nullValue = nullValue
        lines.write(row, separator: separator, to: &stream) { $0.plainText(null: nullValue) }
    }

    /// Prepares the format for another statement.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        lines.end()
    }
}

extension DumpFormat where Self == ListDumpFormat {
    /// A line per row, with the values in their plain form. See ``ListDumpFormat``.
    public static func list(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension DatabaseValue {
    /// The value without quotes.
    func plainText(null: String) -> String {
        switch storage {
        case .null: null
        case .int64(let integer): String(integer)
        case .double(let double): String(double)
        case .string(let text): text
        case .blob(let data): String(decoding: data, as: UTF8.self)
        }
    }
}
