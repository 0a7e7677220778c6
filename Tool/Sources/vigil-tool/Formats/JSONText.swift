enum JSONText {
    /// Returns a quoted string. Control characters of terminals are escaped.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where TerminalText.mayControlTerminal(scalar):
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Returns the shortest number with the same value for parsers. JSON has neither infinity nor NaN: the
    /// former is written as a number beyond the range of `Double`, and the latter as a string.
    static func real(_ value: Double) -> String {
        if value.isNaN { return string("NaN") }
        guard value.isInfinite else { return value.description }
        return value < 0 ? "-9e999" : "9e999"
    }

    static func array(_ elements: some Sequence<String>) -> String {
        "[" + elements.joined(separator: ",") + "]"
    }

    /// Returns an object with its keys in the given order.
    static func object(_ members: some Sequence<(String, String)>) -> String {
        "{" + members.map { string($0) + ":" + $1 }.joined(separator: ",") + "}"
    }
}
