import Foundation
public import VigilEngine

/// A format with one line per row, for developers. It may change between releases.
///
/// ```swift
/// // 1|Arthur|69BF8A9C-D9F0-4777-BD11-93451D84CBCF
/// try db.dumpRequest(Player.all())
/// ```
///
/// A blob is written as text if it is UTF-8, as a UUID if it has 16 bytes, and in hexadecimal otherwise.
public struct DebugDumpFormat: Sendable {
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

extension DebugDumpFormat: DumpFormat {
    /// Writes a row as a line, after the header if it is the first one.
    public mutating func writeRow(_ db: Database, row: Row, to stream: inout DumpStream) {
        if header { lines.writeHeader(of: row, separator: separator, to: &stream) { $0 } }
        let nullValue = nullValue
        lines.write(row, separator: separator, to: &stream) { $0.debugText(null: nullValue) }
    }

    /// Prepares the format for another statement.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        lines.end()
    }
}

extension DumpFormat where Self == DebugDumpFormat {
    /// One line per row, for developers. See ``DebugDumpFormat``.
    public static func debug(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
        DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
    }
}

extension DatabaseValue {
    fileprivate func debugText(null: String) -> String {
        guard case .blob(let data) = storage, String(data: data, encoding: .utf8) == nil else {
            return plainText(null: null)
        }
        return UUID.fromDatabaseValue(self)?.uuidString ?? sqlLiteral
    }
}
