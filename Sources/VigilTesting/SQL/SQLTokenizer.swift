import VigilStorage

/// Splits SQL into tokens with values. White space and comments are skipped.
struct SQLTokenizer {
    private var scanner: SQLScanner
    private let end: Int
    /// The position after the last token, or the end of the text, in UTF-8 bytes.
    private(set) var position: Int

    init(_ sql: String, from position: Int) {
        scanner = SQLScanner(sql, fromUTF8Offset: position)
        end = sql.utf8.count
        self.position = min(max(position, 0), end)
    }

    /// Returns the tokens up to the next semicolon, and consumes it. Empty statements are skipped, so there
    /// are no tokens only if the rest of the text contains nothing but white space, comments and semicolons.
    mutating func nextStatement() throws(StorageError) -> [SimulatedSQLToken] {
        var tokens: [SimulatedSQLToken] = []
        while let token = scanner.next() {
            position = token.range.upperBound
            if !token.isSymbol(";") {
                tokens.append(SimulatedSQLToken(kind: try kind(of: token), range: token.range))
            } else if !tokens.isEmpty {
                return tokens
            }
        }
        position = end
        return tokens
    }

    private func kind(of token: SQLToken) throws(StorageError) -> SimulatedSQLToken.Kind {
        switch token.kind {
        case .word: return .word(token.text)
        case .quotedName: return .quotedName(token.content)
        case .string: return .text(token.content)
        case .number: return try number(token)
        case .blob: return .blob(Self.bytes(ofHex: token.content))
        case .parameter: return .parameter(token.text)
        case .symbol: return .symbol(token.text)
        case .byteOrderMark, .illegal: throw unrecognized(token)
        }
    }

    private func number(_ token: SQLToken) throws(StorageError) -> SimulatedSQLToken.Kind {
        let spelling = token.text
        if let integer = UInt64(spelling) { return .integer(integer) }
        guard let real = Double(spelling.hasSuffix(".") ? spelling + "0" : spelling) else {
            throw unrecognized(token)
        }
        return .real(real)
    }

    /// - Parameter digits: an even number of hexadecimal digits.
    private static func bytes(ofHex digits: String) -> [UInt8] {
        let digits = digits.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private func unrecognized(_ token: SQLToken) -> StorageError {
        StorageError(
            .error, "unrecognized token: \"\(String(decoding: token.text.utf8.prefix(20), as: UTF8.self))\"")
    }
}

/// A token of SQL, with its range in the text.
struct SimulatedSQLToken {
    enum Kind: Equatable {
        /// A keyword or a name without quotes, which the parser distinguishes.
        case word(String)
        case quotedName(String)
        case text(String)
        case blob([UInt8])
        /// The magnitude of an integer, without its sign, so that the smallest `Int64` can be represented.
        case integer(UInt64)
        case real(Double)
        /// A parameter as it is spelled: `?`, `?12`, `:name`.
        case parameter(String)
        case symbol(String)
    }

    var kind: Kind
    /// The range of the token in the UTF-8 bytes of the text.
    var range: Range<Int>
}
