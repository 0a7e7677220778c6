import VigilStorage

/// Splits SQL into tokens.
struct SQLScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ sql: String) {
        bytes = Array(sql.utf8)
    }

    mutating func next() -> SQLToken? {
        skipSpace()
        guard position < bytes.count else { return nil }
        let start = position
        if isAtByteOrderMark {
            position += Self.byteOrderMark.count
            return token(.byteOrderMark, from: start)
        }
        switch bytes[position] {
        case UInt8(ascii: "'"): return quoted(.string, until: UInt8(ascii: "'"))
        case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(.quotedName, until: bytes[position])
        case UInt8(ascii: "["): return quoted(.quotedName, until: UInt8(ascii: "]"))
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            if byte(1) == UInt8(ascii: "'") { return blob() }
            return word()
        case UInt8(ascii: "?"):
            position += 1
            skip { Self.isDigit($0) }
            return token(.parameter, from: start)
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            return namedParameter()
        case UInt8(ascii: "."): return Self.isDigit(byte(1)) ? number() : symbol()
        case let first where Self.isDigit(first): return number()
        case let first where Self.isNamePart(first): return word()
        default: return symbol()
        }
    }

    // MARK: - Kinds of tokens

    private mutating func word() -> SQLToken {
        let start = position
        skip { Self.isNamePart($0) }
        return token(.word, from: start)
    }

    /// Reads a quoted token. Except in brackets, a doubled closing quote stands for a single one.
    private mutating func quoted(_ kind: SQLToken.Kind, until quote: UInt8) -> SQLToken {
        let start = position
        var content: [UInt8] = []
        position += 1
        while position < bytes.count {
            if bytes[position] == quote {
                guard quote != UInt8(ascii: "]"), byte(1) == quote else { break }
                position += 1
            }
            content.append(bytes[position])
            position += 1
        }
        let isClosed = position < bytes.count
        position = min(position + 1, bytes.count)
        return token(
            isClosed ? kind : .illegal, from: start, content: String(decoding: content, as: UTF8.self))
    }

    private mutating func blob() -> SQLToken {
        let start = position
        position += 2
        let digits = position
        skip { Self.isHexDigit($0) }
        let count = position - digits
        let isClosed = byte(0) == UInt8(ascii: "'")
        if isClosed { position += 1 }
        let content = String(decoding: bytes[digits..<digits + count], as: UTF8.self)
        return token(isClosed && count % 2 == 0 ? .blob : .illegal, from: start, content: content)
    }

    private mutating func number() -> SQLToken {
        let start = position
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
        return token(position == end ? .number : .illegal, from: start)
    }

    private mutating func skipExponent() {
        guard byte(0) == UInt8(ascii: "e") || byte(0) == UInt8(ascii: "E") else { return }
        let isSigned = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-")
        guard Self.isDigit(byte(isSigned ? 2 : 1)) else { return }
        position += isSigned ? 2 : 1
        skip { Self.isDigit($0) }
    }

    /// Reads a parameter: `:name`, `@name`, `$name` or `$name::suffix(anything)`.
    private mutating func namedParameter() -> SQLToken {
        let start = position
        var nameLength = 0
        position += 1
        while position < bytes.count {
            if Self.isNamePart(bytes[position]) {
                nameLength += 1
                position += 1
            } else if bytes[position] == UInt8(ascii: "("), nameLength > 0 {
                skip { !Self.isSpace($0) && $0 != UInt8(ascii: ")") }
                guard byte(0) == UInt8(ascii: ")") else { return token(.illegal, from: start) }
                position += 1
                break
            } else if bytes[position] == UInt8(ascii: ":"), byte(1) == UInt8(ascii: ":") {
                position += 2
            } else {
                break
            }
        }
        return token(nameLength > 0 ? .parameter : .illegal, from: start)
    }

    private static let pairs: Set<String> = ["==", "<=", "<>", "<<", ">=", ">>", "!=", "||", "->"]
    private static let singles = Set("()+-*/%&|~=<>,;.".utf8)

    private mutating func symbol() -> SQLToken {
        let start = position
        let pair = String(decoding: bytes[position..<min(position + 2, bytes.count)], as: UTF8.self)
        if Self.pairs.contains(pair) {
            position += 2
            if pair == "->", byte(0) == UInt8(ascii: ">") { position += 1 }
            return token(.symbol, from: start)
        }
        position += 1
        return token(Self.singles.contains(bytes[start]) ? .symbol : .illegal, from: start)
    }

    private func token(_ kind: SQLToken.Kind, from start: Int, content: String? = nil) -> SQLToken {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        return SQLToken(kind: kind, text: text, range: start..<position, content: content ?? text)
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
                position += 1
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
