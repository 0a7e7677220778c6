import VigilStorage

/// Splits SQL into tokens. White space and comments are skipped.
struct SQLTokenizer {
    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], from position: Int) {
        self.bytes = bytes
        self.position = min(max(position, 0), bytes.count)
    }

    /// Returns the tokens up to the next semicolon, which is consumed. Empty statements are skipped, so there are no
    /// tokens only if the rest of the text contains nothing but white space, comments and semicolons.
    mutating func nextStatement() throws(StorageError) -> [SimulatedSQLToken] {
        var tokens: [SimulatedSQLToken] = []
        while let token = try next() {
            if token.kind != .symbol(";") {
                tokens.append(token)
            } else if !tokens.isEmpty {
                break
            }
        }
        return tokens
    }

    private mutating func next() throws(StorageError) -> SimulatedSQLToken? {
        skipBlanks()
        guard let byte = peek() else { return nil }
        let start = position
        let kind = try kind(startingWith: byte)
        return SimulatedSQLToken(kind: kind, range: start..<position)
    }

    private mutating func kind(startingWith byte: UInt8) throws(StorageError) -> SimulatedSQLToken.Kind {
        switch byte {
        case UInt8(ascii: "'"):
            return .text(try quoted(by: byte))
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            return .quotedName(try quoted(by: byte))
        case UInt8(ascii: "x") where peek(1) == UInt8(ascii: "'"),
            UInt8(ascii: "X") where peek(1) == UInt8(ascii: "'"):
            position += 1
            return .blob(try blob(fromHex: try quoted(by: UInt8(ascii: "'"))))
        case UInt8(ascii: "?"):
            position += 1
            return .parameter("?" + word(while: \.isDigit))
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"):
            position += 1
            return .parameter(String(UnicodeScalar(byte)) + word(while: \.continuesName))
        case _ where byte.isDigit || (byte == UInt8(ascii: ".") && peek(1)?.isDigit == true):
            return try number()
        case _ where byte.startsName:
            return .word(word(while: \.continuesName))
        default:
            return try symbol()
        }
    }

    // MARK: White space and comments

    private mutating func skipBlanks() {
        while let byte = peek() {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                position += 1
            } else if byte == UInt8(ascii: "-"), peek(1) == byte {
                skipLine()
            } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                skipBlockComment()
            } else {
                return
            }
        }
    }

    private mutating func skipLine() {
        while let byte = peek(), byte != 0x0A { position += 1 }
    }

    /// Skips a comment. A comment that is not closed ends with the text.
    private mutating func skipBlockComment() {
        position += 2
        while let byte = peek() {
            if byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                position += 2
                return
            }
            position += 1
        }
    }

    // MARK: Tokens

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private mutating func word(while belongs: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = peek(), belongs(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Consumes a quoted text and returns its content, in which a doubled quote stands for one.
    private mutating func quoted(by quote: UInt8) throws(StorageError) -> String {
        let start = position
        position += 1
        var content: [UInt8] = []
        while let byte = peek() {
            position += 1
            if byte == quote {
                guard peek() == quote else { return String(decoding: content, as: UTF8.self) }
                position += 1
            }
            content.append(byte)
        }
        throw unrecognized(from: start)
    }

    private func blob(fromHex hex: String) throws(StorageError) -> [UInt8] {
        let digits = hex.utf8.map(\.hexDigit)
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else {
            throw StorageError(.error, "unrecognized token: \"X'\(hex)'\"")
        }
        return stride(from: 0, to: digits.count, by: 2).map {
            (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)
        }
    }

    private mutating func number() throws(StorageError) -> SimulatedSQLToken.Kind {
        let start = position
        var spelling = word(while: \.isDigit)
        if peek() == UInt8(ascii: ".") {
            position += 1
            spelling += "." + word(while: \.isDigit)
        }
        if let exponent = exponent() { spelling += exponent }
        if peek()?.continuesName == true { throw unrecognized(from: start) }
        if let integer = UInt64(spelling) { return .integer(integer) }
        guard let real = Double(spelling.hasSuffix(".") ? spelling + "0" : spelling) else {
            throw unrecognized(from: start)
        }
        return .real(real)
    }

    private mutating func exponent() -> String? {
        guard let byte = peek(), byte.asciiLowercased == UInt8(ascii: "e") else { return nil }
        let hasSign = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+")
        guard peek(hasSign ? 2 : 1)?.isDigit == true else { return nil }
        let isNegative = peek(1) == UInt8(ascii: "-")
        position += hasSign ? 2 : 1
        return (isNegative ? "e-" : "e") + word(while: \.isDigit)
    }

    private mutating func symbol() throws(StorageError) -> SimulatedSQLToken.Kind {
        let two = bytes[position..<min(position + 2, bytes.count)]
        for pair in ["<=", ">=", "<>", "!=", "==", "||"] where two.elementsEqual(pair.utf8) {
            position += 2
            return .symbol(pair)
        }
        guard bytes[position] < 0x80, bytes[position] > 0x20 else { throw unrecognized(from: position) }
        position += 1
        return .symbol(String(UnicodeScalar(bytes[position - 1])))
    }

    private func unrecognized(from start: Int) -> StorageError {
        let rest = String(decoding: bytes[start...].prefix(20), as: UTF8.self)
        return StorageError(.error, "unrecognized token: \"\(rest)\"")
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var startsName: Bool {
        (0x61...0x7A).contains(asciiLowercased) || self == UInt8(ascii: "_") || self >= 0x80
    }
    fileprivate var continuesName: Bool { startsName || isDigit || self == UInt8(ascii: "$") }
    fileprivate var hexDigit: UInt8? {
        switch asciiLowercased {
        case 0x30...0x39: self - 0x30
        case 0x61...0x66: asciiLowercased - 0x61 + 10
        default: nil
        }
    }
}
