/// The words of a piece of SQL: identifiers and keywords, comments and strings left out.
///
/// A quoted identifier is a word without its quotes. Only as much of the language as is needed to find
/// words is understood.
struct SQLTokens {
    let words: [String]

    init(_ sql: String) {
        var scanner = WordScanner(bytes: Array(sql.utf8))
        var words: [String] = []
        while let word = scanner.next() { words.append(word) }
        self.words = words
    }

    func contains(_ word: String) -> Bool {
        words.contains { $0.lowercased() == word.lowercased() }
    }

    func startsWith(_ prefix: [String]) -> Bool {
        words.count >= prefix.count && zip(words, prefix).allSatisfy { $0.lowercased() == $1.lowercased() }
    }
}

private struct WordScanner {
    let bytes: [UInt8]
    var position = 0

    mutating func next() -> String? {
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "'"): _ = quoted(until: byte)
            case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(until: byte)
            case UInt8(ascii: "["): return quoted(until: UInt8(ascii: "]"))
            case UInt8(ascii: "-") where follows(UInt8(ascii: "-")): skipLine()
            case UInt8(ascii: "/") where follows(UInt8(ascii: "*")): skipComment()
            case _ where isWordByte(byte): return word()
            default: position += 1
            }
        }
        return nil
    }

    private func follows(_ byte: UInt8) -> Bool {
        position + 1 < bytes.count && bytes[position + 1] == byte
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
            true
        default: false
        }
    }

    private mutating func word() -> String {
        let start = position
        while position < bytes.count, isWordByte(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// A doubled closing quote stands for one.
    private mutating func quoted(until quote: UInt8) -> String {
        var content: [UInt8] = []
        position += 1
        while position < bytes.count {
            if bytes[position] == quote {
                guard quote != UInt8(ascii: "]"), follows(quote) else { break }
                position += 1
            }
            content.append(bytes[position])
            position += 1
        }
        position += 1
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func skipLine() {
        while position < bytes.count, bytes[position] != 0x0A { position += 1 }
    }

    private mutating func skipComment() {
        position += 2
        while position < bytes.count, !(bytes[position] == UInt8(ascii: "*") && follows(UInt8(ascii: "/"))) {
            position += 1
        }
        position += 2
    }
}
