import Foundation
import Vigil

/// The value of a statement parameter, parsed from a command line argument.
struct BoundValue {
    let databaseValue: DatabaseValue

    init(argument: String) {
        let argument = LeadingDashes.unmarked(argument)
        if argument == "NULL" {
            databaseValue = .null
        } else if let text = Self.escapedText(argument) {
            databaseValue = text.databaseValue
        } else {
            databaseValue = Self.number(argument) ?? Self.blob(argument) ?? argument.databaseValue
        }
    }

    private static func escapedText(_ argument: String) -> String? {
        let prefix = "text:"
        return argument.hasPrefix(prefix) ? String(argument.dropFirst(prefix.count)) : nil
    }

    /// Returns the value of an SQL number, or `nil` if the conversion would lose information: `007`, `+1`,
    /// `1e999`, and integers of more than 64 bits.
    static func number(_ text: String) -> DatabaseValue? {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = digits(&rest)
        var isReal = false
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = digits(&rest)
            isReal = true
        }
        guard whole + fraction > 0 else { return nil }
        if let byte = rest.first, byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            guard digits(&rest) > 0 else { return nil }
            isReal = true
        }
        guard rest.isEmpty, whole < 2 || !text.drop(while: { $0 == "-" }).hasPrefix("0") else { return nil }
        guard isReal else { return Int64(text)?.databaseValue }
        guard let real = Double(text), real.isFinite else { return nil }
        return real.databaseValue
    }

    /// Removes the leading digits, and returns their number.
    private static func digits(_ rest: inout Substring.UTF8View) -> Int {
        let count = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }.count
        rest.removeFirst(count)
        return count
    }

    private static func blob(_ text: String) -> DatabaseValue? {
        guard text.hasPrefix("x'") || text.hasPrefix("X'"), text.hasSuffix("'"), text.utf8.count >= 3 else {
            return nil
        }
        let digits = Array(text.dropFirst(2).dropLast())
        guard digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place -> UInt8? in
            guard digits[place].isASCII, digits[place + 1].isASCII,
                let high = digits[place].hexDigitValue, let low = digits[place + 1].hexDigitValue
            else { return nil }
            return UInt8(high * 16 + low)
        }
        return bytes.count * 2 == digits.count ? Data(bytes).databaseValue : nil
    }
}
