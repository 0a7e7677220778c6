/// Splits SQL into tokens, as SQLite does.
package struct SQLScanner {
    private let bytes: [UInt8]
    private var position: Int
    /// Whether brackets quote names. In other dialects than SQLite's they are symbols.
    package var hasBracketedNames = true

    /// - Parameter offset: where to begin, in UTF-8 bytes.
    package init(_ sql: String, fromUTF8Offset offset: Int = 0) {
        bytes = Array(sql.utf8)
        position = min(max(offset, 0), bytes.count)
    }

    package mutating func next() -> SQLToken? {
        guard let (kind, range) = nextRange() else { return nil }
        return SQLToken(kind: kind, text: text(range), range: range)
    }

    /// Returns the next token's kind and its range in UTF-8 bytes, for callers that do not need its text.
    package mutating func nextRange() -> (kind: SQLToken.Kind, range: Range<Int>)? {
        skipSpace()
        guard position < bytes.count else { return nil }
        let start = position
        let kind = readToken()
        return (kind, start..<position)
    }

    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func isSemicolon(_ range: Range<Int>) -> Bool {
        range.count == 1 && bytes[range.lowerBound] == UInt8(ascii: ";")
    }

    private mutating func readToken() -> SQLToken.Kind {
        if isAtByteOrderMark {
            position += Self.byteOrderMark.count
            return .byteOrderMark
        }
        switch bytes[position] {
        case UInt8(ascii: "'"): return quoted(.string, until: UInt8(ascii: "'"))
        case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(.quotedName, until: bytes[position])
        case UInt8(ascii: "[") where hasBracketedNames: return quoted(.quotedName, until: UInt8(ascii: "]"))
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            return byte(1) == UInt8(ascii: "'") ? blob() : word()
        case UInt8(ascii: "?"):
            position += 1
            skip { Self.isDigit($0) }
            return .parameter
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            return namedParameter()
        case UInt8(ascii: "."): return Self.isDigit(byte(1)) ? number() : symbol()
        case let first where Self.isDigit(first): return number()
        case let first where Self.isNamePart(first): return word()
        default: return symbol()
        }
    }

    // MARK: - Kinds of tokens

    private mutating func word() -> SQLToken.Kind {
        skip { Self.isNamePart($0) }
        return .word
    }

    /// Reads a quoted token. Except in brackets, a doubled closing quote stands for a single one.
    private mutating func quoted(_ kind: SQLToken.Kind, until quote: UInt8) -> SQLToken.Kind {
        position += 1
        while position < bytes.count {
            if bytes[position] == quote {
                guard quote != UInt8(ascii: "]"), byte(1) == quote else {
                    position += 1
                    return kind
                }
                position += 1
            }
            position += 1
        }
        position = bytes.count
        return .illegal
    }

    private mutating func blob() -> SQLToken.Kind {
        position += 2
        let digits = position
        skip { Self.isHexDigit($0) }
        let count = position - digits
        guard byte(0) == UInt8(ascii: "'") else { return .illegal }
        position += 1
        return count.isMultiple(of: 2) ? .blob : .illegal
    }

    private mutating func number() -> SQLToken.Kind {
        if byte(0) == UInt8(ascii: "0"), byte(1) == UInt8(ascii: "x") || byte(1) == UInt8(ascii: "X") {
            position += 2
            skip { Self.isHexDigit($0) }
        } else {
            skip { Self.isDigit($0) }
            if byte(0) == UInt8(ascii: ".") {
                position += 1
                skip { Self.isDigit($0) }
            }
            skipExponent()
        }
        let end = position
        skip { Self.isNamePart($0) }
        return position == end ? .number : .illegal
    }

    private mutating func skipExponent() {
        guard byte(0) == UInt8(ascii: "e") || byte(0) == UInt8(ascii: "E") else { return }
        let isSigned = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-")
        guard Self.isDigit(byte(isSigned ? 2 : 1)) else { return }
        position += isSigned ? 2 : 1
        skip { Self.isDigit($0) }
    }

    /// Reads a parameter: `:name`, `@name`, `$name` or `$name::suffix(anything)`.
    private mutating func namedParameter() -> SQLToken.Kind {
        var nameLength = 0
        position += 1
        while position < bytes.count {
            if Self.isNamePart(bytes[position]) {
                nameLength += 1
                position += 1
            } else if bytes[position] == UInt8(ascii: "("), nameLength > 0 {
                skip { !Self.isSpace($0) && $0 != UInt8(ascii: ")") }
                guard byte(0) == UInt8(ascii: ")") else { return .illegal }
                position += 1
                break
            } else if bytes[position] == UInt8(ascii: ":"), byte(1) == UInt8(ascii: ":") {
                position += 2
            } else {
                break
            }
        }
        return nameLength > 0 ? .parameter : .illegal
    }

    private mutating func symbol() -> SQLToken.Kind {
        let first = bytes[position]
        position += 1
        switch (first, byte(0)) {
        case (UInt8(ascii: "="), UInt8(ascii: "=")), (UInt8(ascii: "!"), UInt8(ascii: "=")),
            (UInt8(ascii: "<"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: ">")),
            (UInt8(ascii: "<"), UInt8(ascii: "<")), (UInt8(ascii: ">"), UInt8(ascii: "=")),
            (UInt8(ascii: ">"), UInt8(ascii: ">")), (UInt8(ascii: "|"), UInt8(ascii: "|")):
            position += 1
            return .symbol
        case (UInt8(ascii: "-"), UInt8(ascii: ">")):
            position += byte(1) == UInt8(ascii: ">") ? 2 : 1
            return .symbol
        default: return Self.isSymbol(first) ? .symbol : .illegal
        }
    }

    // MARK: - Bytes

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var isAtByteOrderMark: Bool {
        byte(0) == Self.byteOrderMark[0] && byte(1) == Self.byteOrderMark[1]
            && byte(2) == Self.byteOrderMark[2]
    }

    /// Returns a byte; 0 beyond the end.
    private func byte(_ offset: Int) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private mutating func skip(while belongs: (UInt8) -> Bool) {
        while position < bytes.count, belongs(bytes[position]) { position += 1 }
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            if Self.isSpace(bytes[position]) {
                // A vertical tab is white space after other white space only.
                skip { Self.isSpace($0) || $0 == 0x0B }
            } else if byte(0) == UInt8(ascii: "-"), byte(1) == UInt8(ascii: "-") {
                skip { $0 != 0x0A }
            } else if byte(0) == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        position += 2
        while position < bytes.count, !(byte(0) == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) {
            position += 1
        }
        position = min(position + 2, bytes.count)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }

    private static func isSymbol(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"),
            UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "~"),
            UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte.asciiLowercased)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte.asciiLowercased)
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
    }
}
