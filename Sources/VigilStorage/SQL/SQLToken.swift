/// A token of SQL as SQLite splits it, without white space and comments.
package struct SQLToken {
    package enum Kind {
        /// A keyword or an unquoted name.
        case word
        /// A name in double quotes, brackets or backticks. SQLite may read double quotes as a string.
        case quotedName
        case string
        case number
        case blob
        case parameter
        case symbol
        /// U+FEFF at the beginning of a token: white space in newer libraries, part of a name in older ones.
        case byteOrderMark
        /// A token that does not occur in any valid statement.
        case illegal
    }

    package let kind: Kind
    /// The text as it is written.
    package let text: String
    /// The position in the text, in UTF-8 bytes.
    package let range: Range<Int>

    /// The text of a name or string without its quotes, and the digits of a blob. Except in brackets, a
    /// doubled quote stands for a single one.
    package var content: String {
        switch kind {
        case .blob: return String(text.utf8.dropFirst(2).dropLast()) ?? ""
        case .string, .quotedName:
            guard let quote = text.utf8.first else { return text }
            let inner = text.utf8.dropFirst().dropLast()
            guard quote != UInt8(ascii: "["), inner.contains(quote) else { return String(Substring(inner)) }
            return Self.unescaped(inner, quote)
        case .word, .number, .parameter, .symbol, .byteOrderMark, .illegal: return text
        }
    }

    private static func unescaped(_ bytes: some Sequence<UInt8>, _ quote: UInt8) -> String {
        var content: [UInt8] = []
        var isDoubled = false
        for byte in bytes {
            isDoubled = byte == quote && !isDoubled
            if !isDoubled { content.append(byte) }
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Returns whether the token is the keyword, or an unquoted name with the same spelling.
    package func isWord(_ keyword: String) -> Bool {
        kind == .word && text.isSameName(as: keyword)
    }

    package func isWord(in keywords: Set<String>) -> Bool {
        kind == .word && keywords.contains(text.foldedName)
    }

    package func isSymbol(_ symbol: String) -> Bool {
        kind == .symbol && text == symbol
    }

    /// Whether the token is a quoted name, or a string, which SQLite accepts where a name is expected.
    package var isQuoted: Bool { kind == .quotedName || kind == .string }
}
