/// SQLite's conversion of a text to a number.
enum NumericText: Hashable {
    case integer(Int64)
    case decimal(DecimalNumber)
    case notANumber
    /// The result depends on the version of the library.
    case unclear

    init(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.first, Self.isSpace(byte) { bytes = bytes.dropFirst() }
        while let byte = bytes.last, Self.isSpace(byte) { bytes = bytes.dropLast() }
        guard !bytes.isEmpty, bytes.allSatisfy({ Self.isPartOfNumber($0) }),
            !Self.hasSignAfterDigit(bytes)
        else {
            // A zero byte ends the text for some functions of the library, and not for others.
            self = bytes.contains(0) ? .unclear : .notANumber
            return
        }
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }
        if bytes.count <= 18, !bytes.isEmpty, bytes.allSatisfy({ Self.isDigit($0) }) {
            let magnitude = bytes.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            self = .integer(isNegative ? -magnitude : magnitude)
        } else if let decimal = DecimalNumber(digits: bytes, isNegative: isNegative) {
            self = .decimal(decimal)
        } else {
            self = .unclear
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        isDigit(byte)
            || [
                UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"),
            ]
            .contains(byte)
    }

    /// Whether a sign follows a digit, as in the date `2024-05-01`.
    private static func hasSignAfterDigit(_ bytes: ArraySlice<UInt8>) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { first, second in
            isDigit(first) && (second == UInt8(ascii: "-") || second == UInt8(ascii: "+"))
        }
    }
}

/// A decimal fraction without an exponent, with few enough digits for all libraries to convert it to a real
/// close to it.
package struct DecimalNumber: Sendable, Hashable {
    package let nearest: Double
    /// Whether ``nearest`` equals the number: every library converts it to the same real.
    package let isExact: Bool

    private static let digitLimit = 15

    /// Returns `nil` unless `digits` has a digit before the point and one after it, and at most 15 in all.
    package init?(digits: ArraySlice<UInt8>, isNegative: Bool) {
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
            parts[0].count + parts[1].count <= Self.digitLimit,
            parts.allSatisfy({ $0.allSatisfy { NumericText.isDigit($0) } })
        else { return nil }
        let magnitude = (parts[0] + parts[1]).reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        var power: Int64 = 1
        var powerOfFive: Int64 = 1
        for _ in parts[1] {
            power *= 10
            powerOfFive *= 5
        }
        let quotient = Double(magnitude) / Double(power)
        nearest = isNegative && magnitude != 0 ? -quotient : quotient
        // If the power of 5 divides the magnitude, the rest is a division by a power of 2: exact for a real.
        isExact = magnitude % powerOfFive == 0
    }
}
