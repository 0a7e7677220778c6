import VigilStorage

/// A bound value in the form for the server.
enum EncodedParameter: Equatable {
    case null
    /// Text, of a type inferred by the server.
    case text(String)
    /// Bytes in the binary format of `bytea` or `uuid`.
    case binary([UInt8])

    /// Encodes a value for a parameter of the type inferred by the server, or of its base type.
    ///
    /// | value | sent as |
    /// |---|---|
    /// | integer | decimal digits |
    /// | real | its shortest decimal number; an integer for a whole value of an integer type |
    /// | text | itself; its UTF-8 bytes for `bytea`; for `timestamptz`, a `Date` with its offset |
    /// | blob | itself for `bytea`; 16 bytes for `uuid`; UTF-8 text for text and JSON |
    ///
    /// - Throws: ``StorageError/Code/error`` for values that the server cannot store.
    init(_ value: StorageValue, type: UInt32) throws(StorageError) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .text(String(integer))
        case .real(let real): self = Self.encode(real, type: type)
        case .text(let text) where type == PostgresType.bytea: self = .binary(Array(text.utf8))
        case .text(let text) where type == PostgresType.timestampWithTimeZone && Self.isDate(text):
            self = .text(text + "+00")
        case .text(let text):
            guard !text.utf8.contains(0) else {
                throw StorageError(.error, "PostgreSQL does not store text with a zero byte")
            }
            self = .text(text)
        case .blob(let bytes): self = try Self.encode(bytes, type: type)
        }
    }

    /// Returns whether a text is a valid time in the format `yyyy-MM-dd HH:mm:ss.SSS`, the format of a `Date`
    /// in UTC. The server would read it in the time zone of the session.
    private static func isDate(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count == 23 && bytes.dropFirst(10).first == UInt8(ascii: " ")
            && bytes.dropFirst(19).first == UInt8(ascii: ".") && ComparedType.timestamp.time(text) != nil
    }

    private static func encode(_ real: Double, type: UInt32) -> EncodedParameter {
        if real.isNaN { return .null }
        if real.isInfinite { return .text(real < 0 ? "-Infinity" : "Infinity") }
        if PostgresType.isInteger(type), let integer = Int64(exactly: real) { return .text(String(integer)) }
        return .text(real.description)
    }

    private static func encode(_ bytes: [UInt8], type: UInt32) throws(StorageError) -> EncodedParameter {
        if type == PostgresType.bytea || type == PostgresType.uuid && bytes.count == 16 {
            return .binary(bytes)
        }
        if PostgresType.isText(type) {
            guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                throw StorageError(
                    .error, "a blob that is not UTF-8 text is bound to a parameter of type text")
            }
            return .text(text)
        }
        return .text(#"\x"# + bytes.map { Self.hexDigits[Int($0)] }.joined())
    }

    private static let hexDigits: [String] = (0..<256).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
}

/// The values of all parameters, in libpq's memory layout.
struct EncodedParameters {
    private var bytes: [CChar] = []
    /// The offset of each value; `nil` for NULL.
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    mutating func append(_ parameter: EncodedParameter) {
        switch parameter {
        case .null: append(nil, format: 0)
        case .text(let text): append(text.utf8, format: 0)
        case .binary(let blob): append(blob, format: 1)
        }
    }

    private mutating func append(_ value: (some Sequence<UInt8>)?, format: Int32) {
        formats.append(format)
        guard let value else {
            offsets.append(nil)
            lengths.append(0)
            return
        }
        offsets.append(bytes.count)
        bytes.append(contentsOf: value.lazy.map { CChar(bitPattern: $0) })
        lengths.append(Int32(clamping: bytes.count - (offsets.last.flatMap { $0 } ?? 0)))
        bytes.append(0)
    }

    private mutating func append(_ null: Never?, format: Int32) {
        append([UInt8]?.none, format: format)
    }

    /// Calls `body` with the number of values, the values, their lengths and their formats.
    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            let values = offsets.map { offset in
                offset.flatMap { offset in bytes.baseAddress.map { $0 + offset } }
            }
            return body(Int32(offsets.count), values, lengths, formats)
        }
    }
}
