import VigilStorage

/// A token of SQL as SQLite splits it, without white space and comments.
struct SQLToken {
    enum Kind {
        /// A keyword or an unquoted name.
        case word
        /// A name in double quotes, brackets or backticks. SQLite may read a token in double quotes as a
        /// string.
        case quotedName
        case string
        case number
        case blob
        case parameter
        case symbol
        /// U+FEFF at the beginning of a token: white space in newer libraries, and part of a name in older
        /// ones.
        case byteOrderMark
        /// A token that does not occur in any valid statement.
        case illegal
    }

    let kind: Kind
    /// The text as it is written.
    let text: String
    /// The position in the text, in UTF-8 bytes.
    let range: Range<Int>
    /// The text of a name or string without its quotes.
    let content: String

    /// Returns whether the token is the keyword, or an unquoted name with the same spelling.
    func isWord(_ keyword: String) -> Bool {
        kind == .word && text.isSameName(as: keyword)
    }

    func isWord(in keywords: Set<String>) -> Bool {
        kind == .word && keywords.contains(text.foldedName)
    }

    func isSymbol(_ symbol: String) -> Bool {
        kind == .symbol && text == symbol
    }

    /// Whether the token is a quoted name, or a string, which SQLite accepts where a name is expected.
    var isQuoted: Bool { kind == .quotedName || kind == .string }
}
