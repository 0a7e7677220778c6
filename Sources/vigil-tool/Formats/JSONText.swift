/// The parts of JSON.
enum JSONText {
    /// A string in quotes. Characters that a terminal may obey are escaped.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where TerminalText.isObeyed(scalar):
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The shortest number that reads as the same real. JSON knows no infinity, but a number that is too large.
    static func real(_ value: Double) -> String {
        guard value.isInfinite else { return value.description }
        return value < 0 ? "-9e999" : "9e999"
    }

    static func array(_ elements: some Sequence<String>) -> String {
        "[" + elements.joined(separator: ",") + "]"
    }

    /// An object whose keys keep their order.
    static func object(_ members: some Sequence<(String, String)>) -> String {
        "{" + members.map { string($0) + ":" + $1 }.joined(separator: ",") + "}"
    }
}
