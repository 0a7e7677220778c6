import VigilStorage

/// How the text of a result column becomes a value.
///
/// | type | value |
/// |---|---|
/// | `boolean` | the integer 0 or 1 |
/// | `smallint`, `integer`, `bigint`, `oid` | integer |
/// | `real`, `double precision` | real |
/// | `numeric` | an integer if it fits into 64 bits, else text with all digits, marked as a number |
/// | `bytea` | blob |
/// | `timestamptz`, `timetz` | text, with the offset as `+00:00` |
/// | all others | the text that the server displays |
enum ColumnDecoding {
    case boolean
    case integer
    case real
    case numeric
    case bytes
    case zonedTime
    case nothing
    case text

    init(type: UInt32) {
        switch type {
        case PostgresType.bool: self = .boolean
        case _ where PostgresType.isInteger(type): self = .integer
        case PostgresType.float4, PostgresType.float8: self = .real
        case PostgresType.numeric: self = .numeric
        case PostgresType.bytea: self = .bytes
        case PostgresType.timestampWithTimeZone, PostgresType.timeWithTimeZone: self = .zonedTime
        case PostgresType.void: self = .nothing
        default: self = .text
        }
    }

    /// The number of bytes needed by a decoded value besides its text.
    func scratchSize(of length: Int) -> Int {
        switch self {
        case .bytes: length
        case .zonedTime: length + 3
        default: 0
        }
    }

    /// Returns the value. Text is borrowed, other bytes are written to `scratch`.
    func cell(_ text: UnsafeRawBufferPointer, scratch: inout UnsafeMutableRawBufferPointer.SubSequence)
        -> StorageCell
    {
        switch self {
        case .boolean: return StorageCell(integer: text.first == UInt8(ascii: "t") ? 1 : 0)
        case .integer:
            return Self.integer(text).map { StorageCell(integer: $0) } ?? StorageCell(borrowingText: text)
        case .numeric:
            return Self.integer(text).map { StorageCell(integer: $0) } ?? StorageCell(borrowingNumber: text)
        case .real:
            let real = Self.shortReal(text) ?? Double(String(decoding: text, as: UTF8.self))
            return real.map { StorageCell(real: $0) } ?? StorageCell(borrowingText: text)
        case .bytes: return Self.bytes(text, &scratch)
        case .zonedTime: return Self.zonedTime(text, &scratch)
        case .nothing: return .null
        case .text: return StorageCell(borrowingText: text)
        }
    }

    /// Returns the integer in the whole text; `nil` for anything but an integer of 64 bits.
    static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.count <= 19 else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        if isNegative { return value <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- value) : nil }
        return Int64(exactly: value)
    }

    /// Returns the number of a text with at most 15 digits and without an exponent; `nil` for other texts.
    ///
    /// Its digits and the power of ten are exact, so that one division rounds it correctly (W. D. Clinger,
    /// "How to Read Floating Point Numbers Accurately", 1990).
    static func shortReal(_ text: UnsafeRawBufferPointer) -> Double? {
        guard text.count <= 17, let first = text.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        var (digits, digitCount): (Int64, Int) = (0, 0)
        var fractionCount: Int?
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            if byte == UInt8(ascii: "."), fractionCount == nil {
                fractionCount = 0
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            digits = digits &* 10 &+ Int64(digit)
            digitCount += 1
            if let count = fractionCount { fractionCount = count + 1 }
        }
        guard digitCount > 0, digitCount <= 15 else { return nil }
        let magnitude = Double(digits) / powersOfTen[fractionCount ?? 0]
        return isNegative ? -magnitude : magnitude
    }

    private static let powersOfTen: [Double] = (0...15).map { count in
        (0..<count).reduce(1) { power, _ in power * 10 }
    }

    /// Returns the blob of a text such as `\x00ff`, or `a\\b\000` with `bytea_output = escape`. No text in
    /// that format begins with `\x`.
    private static func bytes(
        _ text: UnsafeRawBufferPointer, _ scratch: inout UnsafeMutableRawBufferPointer.SubSequence
    ) -> StorageCell {
        let blob = UnsafeMutableRawBufferPointer(rebasing: scratch.prefix(text.count))
        let count = text.starts(with: #"\x"#.utf8) ? decodeHex(text, blob) : decodeEscaped(text, blob)
        scratch = scratch.dropFirst(count)
        return StorageCell(borrowingBlob: UnsafeRawBufferPointer(rebasing: blob[..<count]))
    }

    private static func decodeHex(
        _ text: UnsafeRawBufferPointer, _ blob: UnsafeMutableRawBufferPointer
    ) -> Int {
        let digits = UnsafeRawBufferPointer(rebasing: text.dropFirst(2))
        let count = digits.count / 2
        for index in 0..<count {
            blob[index] = hexValue(digits[2 * index]) << 4 | hexValue(digits[2 * index + 1])
        }
        return count
    }

    private static func decodeEscaped(
        _ text: UnsafeRawBufferPointer, _ blob: UnsafeMutableRawBufferPointer
    ) -> Int {
        var (index, count) = (0, 0)
        while index < text.count {
            defer { count += 1 }
            guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
                blob[count] = text[index]
                index += 1
                continue
            }
            // Two backslashes, or three octal digits.
            if text[index + 1] != UInt8(ascii: "\\"), index + 3 < text.count {
                let digits = text[index + 1...index + 3].map { ($0 &- UInt8(ascii: "0")) & 7 }
                blob[count] = digits[0] << 6 | digits[1] << 3 | digits[2]
                index += 4
            } else {
                blob[count] = text[index + 1]
                index += 2
            }
        }
        return count
    }

    private static func hexValue(_ digit: UInt8) -> UInt8 {
        digit <= UInt8(ascii: "9") ? digit &- UInt8(ascii: "0") : (digit | 0x20) &- UInt8(ascii: "a") &+ 10
    }

    /// Returns a time with its offset in hours and minutes. The server leaves out zero minutes.
    private static func zonedTime(
        _ text: UnsafeRawBufferPointer, _ scratch: inout UnsafeMutableRawBufferPointer.SubSequence
    ) -> StorageCell {
        let sign = text.dropLast(2).last
        guard text.count > 3, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
            return StorageCell(borrowingText: text)
        }
        let count = text.count + 3
        let time = UnsafeMutableRawBufferPointer(rebasing: scratch.prefix(count))
        time.copyBytes(from: text)
        for (index, byte) in ":00".utf8.enumerated() { time[text.count + index] = byte }
        scratch = scratch.dropFirst(count)
        return StorageCell(borrowingText: UnsafeRawBufferPointer(time))
    }
}
