import VigilStorage

/// A type whose values can be compared as the server does: in changed rows, parameters and constants.
///
/// | type | value |
/// |---|---|
/// | `smallint`, `integer`, `bigint`, `oid` | integer |
/// | `boolean` | 0 or 1 |
/// | `uuid` | text in lower case |
/// | `text`, `varchar`, enumerations | text |
/// | `bytea` | blob |
/// | `date` | days since 2000-01-01 |
/// | `timestamp`, `timestamptz` | microseconds since 2000-01-01, in UTC |
///
/// Each equality of the server is an equality of these values, and each order too, except of text and
/// enumerations.
enum ComparedType: Sendable, Hashable {
    case integer, oid, boolean, uuid, text, label, bytes, date, timestamp, zonedTimestamp
    /// Text that is converted to another encoding than UTF-8, which may make different texts equal. Other
    /// texts than ASCII are therefore not compared.
    case asciiText

    /// Returns `nil` for other types, and for enumerations: their numbers are different in each database.
    init?(type: UInt32) {
        switch type {
        case PostgresType.int2, PostgresType.int4, PostgresType.int8: self = .integer
        case PostgresType.oid: self = .oid
        case PostgresType.bool: self = .boolean
        case PostgresType.uuid: self = .uuid
        case PostgresType.text, PostgresType.varchar: self = .text
        case PostgresType.bytea: self = .bytes
        case PostgresType.date: self = .date
        case PostgresType.timestamp: self = .timestamp
        case PostgresType.timestampWithTimeZone: self = .zonedTimestamp
        default: return nil
        }
    }

    /// The types with their numbers.
    static let numbers: [UInt32] = [
        PostgresType.int2, PostgresType.int4, PostgresType.int8, PostgresType.oid, PostgresType.bool,
        PostgresType.uuid, PostgresType.text, PostgresType.varchar, PostgresType.bytea, PostgresType.date,
        PostgresType.timestamp, PostgresType.timestampWithTimeZone,
    ]

    /// Whether the order of the values is that of the server.
    var isOrdered: Bool { !isText }

    /// Whether the values are texts chosen by users.
    private var isText: Bool { self == .text || self == .label || self == .asciiText }

    // MARK: - Values of rows

    /// Returns a value written by the server; `nil` if it is not understood.
    ///
    /// - Parameter allocate: returns memory that stays valid as long as the cell.
    func cell(
        _ text: UnsafeRawBufferPointer, allocate: (Int) -> UnsafeMutableRawBufferPointer
    ) -> StorageCell? {
        switch self {
        case .integer, .oid: return ColumnDecoding.integer(text).map { StorageCell(integer: $0) }
        case .boolean:
            let value: Int64? = text.elementsEqual("t".utf8) ? 1 : text.elementsEqual("f".utf8) ? 0 : nil
            return value.map { StorageCell(integer: $0) }
        case .uuid: return text.count == 36 ? StorageCell(borrowingText: text) : nil
        case .text, .label, .asciiText: return StorageCell(borrowingText: text)
        case .bytes:
            guard text.starts(with: #"\x"#.utf8) else { return nil }
            var memory = allocate(text.count)[...]
            return ColumnDecoding.bytes.cell(text, scratch: &memory)
        case .date, .timestamp, .zonedTimestamp:
            return time(String(decoding: text, as: UTF8.self)).map { StorageCell(integer: $0) }
        }
    }

    // MARK: - Parameters

    /// Returns the value that the server compares for a bound value; `nil` if that is not certain.
    ///
    /// The spellings are the ones of ``EncodedParameter`` that the server reads in one way only, whatever the
    /// settings of the session are.
    func parameter(_ value: StorageValue) -> StorageValue? {
        switch (self, value) {
        case (_, .null): return .null
        case (.integer, .integer): return value
        case (.integer, .real(let real)): return Int64(exactly: real).map { .integer($0) }
        case (.oid, .integer(let integer)): return UInt32(exactly: integer) == nil ? nil : value
        case (.boolean, .integer(let integer)): return integer == 0 || integer == 1 ? value : nil
        case (.text, .integer(let integer)), (.asciiText, .integer(let integer)):
            return .text(String(integer))
        case (.bytes, .blob): return value
        case (.bytes, .text(let text)): return .blob(Array(text.utf8))
        case (.text, .blob(let bytes)), (.asciiText, .blob(let bytes)):
            return String(validating: bytes, as: UTF8.self).flatMap(parse)
        case (.uuid, .blob(let bytes)) where bytes.count == 16: return .text(Self.uuid(bytes))
        case (_, .text(let text)): return parse(text)
        default: return nil
        }
    }

    /// Returns the values of the elements of an array in the text format; `nil` if they are not certain. NULL
    /// equals nothing, and is left out, except where it is a text with the setting `array_nulls = off`.
    func elements(of value: StorageValue) -> [StorageValue]? {
        switch value {
        case .null: return []
        case .text(let text):
            guard let elements = ArrayText(text)?.elements else { return nil }
            var values: [StorageValue] = []
            for element in elements {
                if element.mayBeNull, !isText { continue }
                guard self != .bytes, let value = parse(element.text) else { return nil }
                values.append(value)
            }
            return values
        case .integer, .real, .blob: return nil
        }
    }

    private func parse(_ text: String) -> StorageValue? {
        switch self {
        case .integer, .oid:
            let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
            guard !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                let integer = Int64(text), self == .integer || UInt32(exactly: integer) != nil
            else { return nil }
            return .integer(integer)
        case .boolean:
            switch text {
            case "t", "true", "1": return .integer(1)
            case "f", "false", "0": return .integer(0)
            default: return nil
            }
        case .uuid:
            let folded = text.foldedName
            let isSpelledOut = folded.utf8.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index)
                    ? byte == UInt8(ascii: "-")
                    : byte >= 0x30 && byte <= 0x39 || byte >= 0x61 && byte <= 0x66
            }
            return folded.utf8.count == 36 && isSpelledOut ? .text(folded) : nil
        case .text, .label: return .text(text)
        case .asciiText: return text.utf8.allSatisfy { $0 < 0x80 } ? .text(text) : nil
        case .bytes: return .blob(Array(text.utf8))
        case .date, .timestamp, .zonedTimestamp: return time(text).map { .integer($0) }
        }
    }

    // MARK: - Constants

    /// Returns a constant in the memory format of a server with 64 bits and little-endian numbers; `nil` if
    /// it is not understood.
    ///
    /// Times are not: the server computes `'now'`, and reads `'2000-01-01 12:00'` in the time zone of the
    /// session, when it analyses a query, which it does again for each session.
    func constant(_ bytes: [UInt8]) -> StorageValue? {
        switch self {
        case .date, .timestamp, .zonedTimestamp: return nil
        case .integer, .oid:
            guard bytes.count == 8 else { return nil }
            let number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let integer = Int64(bitPattern: number)
            return .integer(self == .oid ? Int64(UInt32(truncatingIfNeeded: integer)) : integer)
        case .boolean: return bytes.count == 8 ? .integer(bytes[0] == 0 ? 0 : 1) : nil
        case .uuid: return bytes.count == 16 ? .text(Self.uuid(bytes)) : nil
        case .text:
            return Self.content(bytes).flatMap { String(validating: $0, as: UTF8.self) }.map { .text($0) }
        case .bytes: return Self.content(bytes).map { .blob(Array($0)) }
        case .label, .asciiText: return nil
        }
    }

    /// Returns the content of a value with its length in the first four bytes, neither compressed nor stored
    /// elsewhere.
    private static func content(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard bytes.count >= 4 else { return nil }
        let header = bytes[..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard header & 3 == 0, Int(header >> 2) == bytes.count else { return nil }
        return bytes[4...]
    }

    private static func uuid(_ bytes: [UInt8]) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return text
    }
}
