import VigilStorage

extension DatabaseValue: CustomStringConvertible {
    /// The value as an SQL literal: `NULL`, `12`, `1.5`, `'it''s'`, `X'0AFF'`.
    public var description: String {
        switch storageValue {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): Self.literal(real)
        case .text(let text): Self.literal(text)
        case .blob(let bytes): Self.literal(bytes)
        }
    }

    /// The value as it is printed in arguments and rows: text in double quotes, blobs by their size.
    package var shortDescription: String {
        switch storageValue {
        case .text(let text): String(reflecting: text)
        case .blob(let bytes): "Data(\(bytes.count) bytes)"
        default: description
        }
    }

    /// Returns an SQL literal. Infinity is written as a number that is too large, because SQL has no literal
    /// for it. NaN is stored as NULL.
    private static func literal(_ real: Double) -> String {
        if real.isNaN { return "NULL" }
        if real.isInfinite { return real < 0 ? "-9e999" : "9e999" }
        return "\(real)"
    }

    /// Returns an SQL literal. Text with a NUL byte is a blob, because SQL parsers end at that byte.
    private static func literal(_ text: String) -> String {
        if text.utf8.contains(0) { return "CAST(\(literal(Array(text.utf8))) AS TEXT)" }
        return text.quotedSQLText
    }

    private static func literal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
        return "X'" + String(decoding: hex, as: UTF8.self) + "'"
    }
}
