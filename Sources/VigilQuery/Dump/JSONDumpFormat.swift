public import Foundation
public import VigilEngine

/// A format that writes the rows of a statement as a JSON array of objects.
///
/// ```swift
/// // [{"id":1,"name":"Arthur"},
/// // {"id":2,"name":"Barbara"}]
/// try db.dumpRequest(Player.all(), format: .json())
/// ```
///
/// The keys are in the order of the columns. Blobs are written as the encoder writes `Data`: in Base64, by
/// default.
public struct JSONDumpFormat: Sendable {
    /// The default encoder. It does not escape slashes, writes `Data` in Base64, and the special
    /// floating-point values as the strings `inf`, `-inf` and `nan`.
    public static var defaultEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.dataEncodingStrategy = .base64
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    /// The encoder of the values. If it formats its output prettily, each key begins a line.
    public var encoder: JSONEncoder

    private var isFirstRow = true

    /// Creates a format.
    public init(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) {
        self.encoder = encoder
    }
}

extension JSONDumpFormat: DumpFormat {
    private var isPretty: Bool { encoder.outputFormatting.contains(.prettyPrinted) }

    /// Writes a row as a JSON object.
    ///
    /// - Throws: the error of the encoder.
    public mutating func writeRow(_ db: Database, row: Row, to stream: inout DumpStream) throws {
        let columns = try row.dumpedColumns.map { "\(try json($0.name)):\(try json($0.value))" }
        stream.write(isFirstRow ? (isPretty ? "[\n" : "[") : ",\n")
        isFirstRow = false
        if isPretty {
            stream.write("  {\n    \(columns.joined(separator: ",\n    "))\n  }")
        } else {
            stream.write("{\(columns.joined(separator: ","))}")
        }
    }

    /// Ends the array. Writes an empty array for a query without rows.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
        if !isFirstRow {
            stream.writeLine(isPretty ? "\n]" : "]")
        } else if statement.columnCount > 0 {
            stream.writeLine("[]")
        }
        isFirstRow = true
    }

    private func json(_ value: DatabaseValue) throws -> String {
        switch value.storage {
        case .null: "null"
        case .int64(let integer): try json(integer)
        case .double(let double): try json(double)
        case .string(let text): try json(text)
        case .blob(let data): try json(data)
        }
    }

    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension DumpFormat where Self == JSONDumpFormat {
    /// A JSON array of objects. See ``JSONDumpFormat``.
    public static func json(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) -> Self {
        JSONDumpFormat(encoder: encoder)
    }
}
