/// Splits SQL into tokens by the lexical rules of PostgreSQL, with `standard_conforming_strings` on.
///
/// White space and comments are skipped. A string, name or comment that does not end extends to the end of
/// the text; the server reports the error.
struct PostgresLexer {
    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ sql: String, fromUTF8Offset offset: Int = 0) {
        bytes = Array(sql.utf8)
        position = min(max(offset, 0), bytes.count)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    mutating func next() -> PostgresToken? {
        skipBlanks()
        guard position < bytes.count else { return nil }
        let start = position
        let kind = read(bytes[position])
        return PostgresToken(kind: kind, range: start..<position)
    }

    private mutating func read(_ first: UInt8) -> PostgresToken.Kind {
        switch first {
        case UInt8(ascii: "'"): return readString(hasEscapes: false)
        case UInt8(ascii: "\""): return readQuotedName()
        case UInt8(ascii: "$"): return readDollar()
        case UInt8(ascii: "?"): return readQuestionMark()
        case UInt8(ascii: ":"): return readColon()
        case UInt8(ascii: ";"): return readOne(as: .semicolon)
        case UInt8(ascii: "("): return readOne(as: .openingParenthesis)
        case UInt8(ascii: ")"): return readOne(as: .closingParenthesis)
        case _ where first.isDigit: return readNumber()
        case _ where first.isNameStart: return readWord()
        case _ where first.isOperator: return readOperator()
        default: return readOne(as: .other)
        }
    }

    private mutating func readOne(as kind: PostgresToken.Kind) -> PostgresToken.Kind {
        position += 1
        return kind
    }

    /// Returns a byte, counted from the current position; 0 beyond the end.
    private func byte(_ offset: Int) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    // MARK: - White space and comments

    private mutating func skipBlanks() {
        while position < bytes.count {
            switch (bytes[position], byte(1)) {
            case (0x20, _), (0x09...0x0D, _): position += 1
            case (UInt8(ascii: "-"), UInt8(ascii: "-")): skipLine()
            case (UInt8(ascii: "/"), UInt8(ascii: "*")): skipComment()
            case (0xEF, 0xBB) where byte(2) == 0xBF: position += 3
            default: return
            }
        }
    }

    private mutating func skipLine() {
        while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
    }

    /// Skips a comment. Unlike in other dialects, comments can be nested.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            switch (byte(0), byte(1)) {
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                depth += 1
                position += 2
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                depth -= 1
                position += 2
            default: position += 1
            }
        } while depth > 0 && position < bytes.count
        position = min(position, bytes.count)
    }

    // MARK: - Strings, names and numbers

    /// Reads a string from its opening quote. A doubled quote is read as part of it.
    private mutating func readString(hasEscapes: Bool) -> PostgresToken.Kind {
        skipQuoted(UInt8(ascii: "'"), hasEscapes: hasEscapes)
        return .string
    }

    private mutating func readQuotedName() -> PostgresToken.Kind {
        skipQuoted(UInt8(ascii: "\""), hasEscapes: false)
        return .quotedName
    }

    private mutating func skipQuoted(_ quote: UInt8, hasEscapes: Bool) {
        position += 1
        while position < bytes.count {
            if bytes[position] == quote {
                position += 1
                guard byte(0) == quote else { return }
            } else if hasEscapes, bytes[position] == UInt8(ascii: "\\") {
                position += 1
            }
            position += 1
        }
        position = min(position, bytes.count)
    }

    private mutating func readWord() -> PostgresToken.Kind {
        switch (bytes[position] | 0x20, byte(1), byte(2)) {
        case (UInt8(ascii: "e"), UInt8(ascii: "'"), _):
            position += 1
            return readString(hasEscapes: true)
        case (UInt8(ascii: "b"), UInt8(ascii: "'"), _), (UInt8(ascii: "x"), UInt8(ascii: "'"), _),
            (UInt8(ascii: "n"), UInt8(ascii: "'"), _):
            position += 1
            return readString(hasEscapes: false)
        case (UInt8(ascii: "u"), UInt8(ascii: "&"), UInt8(ascii: "'")):
            position += 2
            return readString(hasEscapes: false)
        case (UInt8(ascii: "u"), UInt8(ascii: "&"), UInt8(ascii: "\"")):
            position += 2
            return readQuotedName()
        default:
            while byte(0).isNamePart { position += 1 }
            return .word
        }
    }

    private mutating func readNumber() -> PostgresToken.Kind {
        while byte(0).isDigit || byte(0).isLetter || byte(0) == UInt8(ascii: "_") { position += 1 }
        if byte(0) == UInt8(ascii: "."), byte(1).isDigit {
            position += 1
            while byte(0).isDigit || byte(0).isLetter { position += 1 }
        }
        return .number
    }

    // MARK: - Parameters and operators

    /// Reads `$1`, `$name` or a string in dollar quotes.
    private mutating func readDollar() -> PostgresToken.Kind {
        if byte(1).isDigit {
            position += 1
            return .numberedParameter(readIndex())
        }
        var length = 1
        if byte(1).isNameStart {
            while byte(length).isNamePart, byte(length) != UInt8(ascii: "$") { length += 1 }
        }
        if byte(length) == UInt8(ascii: "$") { return readDollarQuoted(delimiterLength: length + 1) }
        position += length
        return length > 1 ? .namedParameter : .other
    }

    private mutating func readDollarQuoted(delimiterLength: Int) -> PostgresToken.Kind {
        let delimiter = bytes[position..<position + delimiterLength]
        position += delimiterLength
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "$"), bytes[position...].starts(with: delimiter) {
                position += delimiterLength
                return .string
            }
            position += 1
        }
        return .string
    }

    /// Reads digits. An index that no statement can have is read as `Int.max`.
    private mutating func readIndex() -> Int {
        var index = 0
        while byte(0).isDigit {
            let (product, isOverflow) = index.multipliedReportingOverflow(by: 10)
            index = isOverflow ? Int.max : product.addingReportingOverflow(Int(byte(0) & 15)).partialValue
            if isOverflow || index < 0 { index = Int.max / 16 }
            position += 1
        }
        return index
    }

    private mutating func readQuestionMark() -> PostgresToken.Kind {
        position += 1
        if byte(0) == UInt8(ascii: "?") {
            position += 1
            return .questionMark
        }
        return byte(0).isDigit ? .numberedParameter(readIndex()) : .nextParameter
    }

    /// Reads `:name`, `::`, `:=` or a colon.
    private mutating func readColon() -> PostgresToken.Kind {
        position += 1
        if byte(0) == UInt8(ascii: ":") || byte(0) == UInt8(ascii: "=") {
            position += 1
            return .other
        }
        guard byte(0).isNameStart else { return .other }
        while byte(0).isNamePart { position += 1 }
        return .namedParameter
    }

    /// The operators that may precede `@name` without a space. Others end with the character: `<@name` is the
    /// operator `<@`.
    private static let operatorsBeforeName: Set<String> = [
        "=", "<>", "!=", ">=", "<=", "+", "-", "*", "/", "%", "||",
    ]

    /// Reads an operator, up to a question mark or the beginning of a comment.
    private mutating func readOperator() -> PostgresToken.Kind {
        let start = position
        if byte(0) == UInt8(ascii: "@"), byte(1).isNameStart { return readAtName() }
        while byte(0).isOperator, !beginsComment {
            if byte(0) == UInt8(ascii: "@"), byte(1).isNameStart,
                Self.operatorsBeforeName.contains(text(start..<position))
            {
                return .other
            }
            position += 1
        }
        return .other
    }

    private var beginsComment: Bool {
        byte(0) == UInt8(ascii: "-") && byte(1) == UInt8(ascii: "-")
            || byte(0) == UInt8(ascii: "/") && byte(1) == UInt8(ascii: "*")
    }

    private mutating func readAtName() -> PostgresToken.Kind {
        position += 1
        while byte(0).isNamePart { position += 1 }
        return .namedParameter
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
    fileprivate var isNameStart: Bool { isLetter || self == UInt8(ascii: "_") || self >= 0x80 }
    fileprivate var isNamePart: Bool { isNameStart || isDigit || self == UInt8(ascii: "$") }
    /// Whether operators contain the character. The question mark is read on its own.
    fileprivate var isOperator: Bool { "+-*/<>=~!@#%^&|`".utf8.contains(self) }
}
