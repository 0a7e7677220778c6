import VigilStorage

/// A piece of SQL as SQLite divides it, white space and comments left out.
struct SQLToken {
    enum Kind {
        /// A keyword or a name without quotes.
        case word
        /// A name in double quotes, brackets or backticks. What is in double quotes may turn out to be a string.
        case quotedName
        case string
        case number
        case blob
        case parameter
        case symbol
        /// U+FEFF at the beginning of a token: white space to newer libraries, and part of a name to older ones.
        case byteOrderMark
        /// What no statement has that compiles.
        case illegal
    }

    let kind: Kind
    /// As it is written.
    let text: String
    /// Where it is written, in UTF-8 bytes.
    let range: Range<Int>
    /// Of names and strings: without the quotes.
    let content: String

    /// Whether it is a keyword, or a name without quotes that is spelled the same.
    func isWord(_ keyword: String) -> Bool {
        kind == .word && text.isSameName(as: keyword)
    }

    func isWord(in keywords: Set<String>) -> Bool {
        kind == .word && keywords.contains(text.foldedName)
    }

    func isSymbol(_ symbol: String) -> Bool {
        kind == .symbol && text == symbol
    }

    /// Whether it is a name wherever a name is expected, or a string, which SQLite takes for one there.
    var isQuoted: Bool { kind == .quotedName || kind == .string }
}
