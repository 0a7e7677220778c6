public import VigilEngine

/// A text format for rows.
///
/// The formats are ``DebugDumpFormat``, ``JSONDumpFormat``, ``LineDumpFormat``, ``ListDumpFormat`` and
/// ``QuoteDumpFormat``:
///
/// ```swift
/// try dbQueue.dumpContent(format: .json())
/// ```
///
/// A format is a value that writes the rows of one statement, one after the other:
///
/// ```swift
/// struct NameFormat: DumpFormat {
///     mutating func writeRow(_ db: Database, row: Row, to stream: inout DumpStream) {
///         stream.write("\(row["name"] ?? "-")\n")
///     }
///
///     mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
/// }
/// ```
public protocol DumpFormat {
    /// Writes a row.
    ///
    /// - Parameters:
    ///   - db: a database connection.
    ///   - row: the current row of the statement. It is valid during the call.
    ///   - stream: the stream to write to.
    /// - Throws: any error. It ends the dump.
    mutating func writeRow(_ db: Database, row: Row, to stream: inout DumpStream) throws

    /// Writes the text after the last row of a statement. Called for each statement, even if it has no rows.
    mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream)
}

/// The output stream of a ``DumpFormat``.
///
/// ```swift
/// stream.write("name\n")
/// stream.margin()
/// ```
public struct DumpStream: TextOutputStream {
    private var base: any TextOutputStream
    private var needsMargin = false

    /// Creates a stream to another one, or to standard output.
    init(_ base: (any TextOutputStream)?) {
        self.base = base ?? StandardOutput()
    }

    /// Inserts an empty line before any further text.
    public mutating func margin() {
        needsMargin = true
    }

    /// Writes a text.
    public mutating func write(_ string: String) {
        guard !string.isEmpty else { return }
        if needsMargin, string.first != "\n" { base.write("\n") }
        needsMargin = false
        base.write(string)
    }

    mutating func writeLine(_ line: String) {
        write(line)
        write("\n")
    }
}

private struct StandardOutput: TextOutputStream {
    func write(_ string: String) { print(string, terminator: "") }
}

extension Row {
    /// The columns and their values.
    var dumpedColumns: [(name: String, value: DatabaseValue)] {
        map { (name: $0.0, value: $0.1) }
    }
}
