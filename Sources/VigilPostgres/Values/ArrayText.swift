import VigilStorage

/// The elements of an array of one dimension in the text format of the server, such as `{1,NULL,"a b"}`.
struct ArrayText: Equatable {
    struct Element: Equatable {
        var text: String
        /// Whether the element is NULL without quotes, which is a text with `array_nulls = off`.
        var mayBeNull = false
    }

    private(set) var elements: [Element] = []

    /// Returns `nil` for other texts, such as arrays of several dimensions.
    init?(_ text: String) {
        var rest = text[...].utf8
        guard rest.popFirst() == UInt8(ascii: "{"), rest.popLast() == UInt8(ascii: "}") else { return nil }
        if rest.isEmpty { return }
        while true {
            guard let element = Self.element(&rest) else { return nil }
            elements.append(element)
            guard let separator = rest.popFirst() else { return }
            guard separator == UInt8(ascii: ",") else { return nil }
        }
    }

    /// Reads an element; returns `nil` if it is malformed, or spelled in a way that is rarely used.
    private static func element(_ rest: inout Substring.UTF8View) -> Element? {
        guard rest.first == UInt8(ascii: "\"") else {
            let word = rest.prefix { $0 != UInt8(ascii: ",") }
            guard !word.isEmpty, word.allSatisfy(isPlain) else { return nil }
            rest.removeFirst(word.count)
            let text = String(decoding: word, as: UTF8.self)
            return Element(text: text, mayBeNull: text.foldedName == "null")
        }
        rest.removeFirst()
        var bytes: [UInt8] = []
        while var byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                byte = escaped
            }
            bytes.append(byte)
            if rest.isEmpty { return nil }
        }
        return Element(text: String(decoding: bytes, as: UTF8.self))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && ![UInt8](#"{}"\,"#.utf8).contains(byte)
    }
}
