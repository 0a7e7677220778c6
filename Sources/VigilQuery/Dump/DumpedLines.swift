import VigilEngine

/// The common part of the formats with a line per row.
struct DumpedLines: Sendable {
    private var isFirstRow = true

    /// Writes the names of the columns as a line, if no row of the statement has been written.
    mutating func writeHeader(
        of row: Row, separator: String, to stream: inout DumpStream, text: (String) -> String
    ) {
        guard isFirstRow else { return }
        stream.writeLine(row.dumpedColumns.map { text($0.name) }.joined(separator: separator))
    }

    mutating func write(
        _ row: Row, separator: String, to stream: inout DumpStream, text: (DatabaseValue) -> String
    ) {
        stream.writeLine(row.dumpedColumns.map { text($0.value) }.joined(separator: separator))
        isFirstRow = false
    }

    mutating func end() {
        isFirstRow = true
    }
}
