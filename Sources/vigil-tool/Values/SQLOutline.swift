/// Rejects SQL that is not a query before it is compiled.
///
/// The library executes some pragmas while it *compiles* them, for example `PRAGMA rekey` of SQLCipher. All other
/// statements are checked after compilation, which is more precise.
struct SQLOutline {
    static let notAQuery = Failure(
        "not a query: only statements that return rows and change nothing can be run")

    /// The first words of the first statement, in upper case. Other tokens are empty strings.
    private(set) var firstWords: [String] = []
    /// Whether the first statement is followed by anything but white space and comments.
    private(set) var hasSecondStatement = false

    private static let otherStatements: Set<String> = [
        "ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP", "END",
        "INSERT",
        "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT", "UPDATE", "VACUUM",
    ]

    init(_ sql: String) {
        var scanner = SQLOutlineScanner(sql)
        var hasEnded = false
        while let token = scanner.next() {
            switch token {
            case .semicolon: hasEnded = hasEnded || !firstWords.isEmpty
            case .word, .other:
                guard !hasEnded else {
                    hasSecondStatement = true
                    return
                }
                if firstWords.count < 4 { firstWords.append(token.text) }
            }
        }
    }

    /// Throws an error unless the text is a single statement that may be a query.
    func check() throws(Failure) {
        guard !firstWords.isEmpty else { throw Failure("the statement is empty") }
        var words = firstWords[...]
        if words.first == "EXPLAIN" { words = words.dropFirst() }
        if words.starts(with: ["QUERY", "PLAN"]) { words = words.dropFirst(2) }
        if let word = words.first, Self.otherStatements.contains(word) {
            throw word == "PRAGMA"
                ? Failure(
                    "a PRAGMA may have effects, and was not run: SELECT from the table pragma_… instead")
                : Self.notAQuery
        }
        guard !hasSecondStatement else { throw Failure("more than one statement") }
    }
}

/// Splits SQL into tokens. Strings, quoted names and operators are not distinguished.
struct SQLOutlineScanner {
    enum Token: Equatable {
        /// A word or a number, in upper case.
        case word(String)
        case semicolon
        case other

        var text: String {
            if case .word(let text) = self { text } else { "" }
        }
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ sql: String) {
        bytes = Array(sql.utf8)
    }

    mutating func next() -> Token? {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), 0x09...0x0D: position += 1
            // A byte order mark, which the library treats as white space too.
            case 0xEF where bytes[position...].starts(with: [0xEF, 0xBB, 0xBF]): position += 3
            case UInt8(ascii: "-") where follows("-"): skip(past: "\n")
            case UInt8(ascii: "/") where follows("*"):
                position += 2
                skip(past: "*/")
            case UInt8(ascii: ";"):
                position += 1
                return .semicolon
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                skipQuoted()
                return .other
            case let byte where isWordByte(byte): return word()
            default:
                position += 1
                return .other
            }
        }
        return nil
    }

    private func follows(_ character: Unicode.Scalar) -> Bool {
        position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: character)
    }

    private mutating func skip(past end: String) {
        let end = Array(end.utf8)
        while position < bytes.count, !bytes[position...].starts(with: end) { position += 1 }
        position = min(position + end.count, bytes.count)
    }

    /// Skips a string or a quoted name. A doubled quote splits it into two tokens, which makes no difference here.
    private mutating func skipQuoted() {
        let end = bytes[position] == UInt8(ascii: "[") ? UInt8(ascii: "]") : bytes[position]
        position += 1
        while position < bytes.count, bytes[position] != end { position += 1 }
        position = min(position + 1, bytes.count)
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
            true
        default: false
        }
    }

    private mutating func word() -> Token {
        let start = position
        while position < bytes.count, isWordByte(bytes[position]) { position += 1 }
        return .word(String(decoding: bytes[start..<position], as: UTF8.self).uppercased())
    }
}
