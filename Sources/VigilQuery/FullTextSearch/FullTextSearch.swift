public import VigilEngine

extension TableRequest where Self: FilteredRequest {
    /// Returns a request for rows of an FTS3 or FTS4 table matching a pattern in any column; none for `nil`.
    ///
    /// ```swift
    /// Document.all().matching(FTS3Pattern(matchingAllTokensIn: "database observation"))
    /// ```
    public func matching(_ pattern: FTS3Pattern?) -> Self { matching(rawPattern: pattern?.rawPattern) }

    /// Returns a request for the rows of an FTS5 table matching a pattern in any column; none for `nil`.
    ///
    /// ```swift
    /// Document.all().matching(FTS5Pattern(matchingAllTokensIn: "database observation"))
    /// ```
    public func matching(_ pattern: FTS5Pattern?) -> Self { matching(rawPattern: pattern?.rawPattern) }

    private func matching(rawPattern: String?) -> Self {
        guard let rawPattern else { return none() }
        return filter(SQLExpression(.tableMatch(rawPattern.sqlExpression)))
    }
}

extension TableRecord {
    /// Returns a request for rows of an FTS3 or FTS4 table matching a pattern in any column; none for `nil`.
    public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> {
        all().matching(pattern)
    }

    /// Returns a request for the rows of an FTS5 table matching a pattern in any column; none for `nil`.
    public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> {
        all().matching(pattern)
    }
}

extension ColumnExpression {
    /// Whether a column of an FTS3 or FTS4 table matches a pattern. No row matches `nil`.
    ///
    /// ```swift
    /// Document.filter { $0.title.match(FTS3Pattern(matchingPhrase: "observing changes")) }
    /// ```
    public func match(_ pattern: FTS3Pattern?) -> SQLExpression {
        .operation("MATCH", of: sqlExpression, and: SQLExpression(orNull: pattern?.rawPattern))
    }

    /// Whether a column of an FTS5 table matches a pattern.
    ///
    /// ```swift
    /// let pattern = try FTS5Pattern(rawPattern: "observ* NOT swift")
    /// Document.filter { $0.title.match(pattern) }
    /// ```
    public func match(_ pattern: FTS5Pattern) -> SQLExpression {
        .operation("MATCH", of: sqlExpression, and: pattern.rawPattern.sqlExpression)
    }
}

/// Returns the tokens of a text like the tokenizers `simple` of FTS3 and `ascii` of FTS5: letters and digits,
/// and all characters outside of ASCII. ASCII letters are in lower case, so no token is an operator.
func fullTextTokens(_ text: String) -> [String] {
    text.utf8.split { !$0.isTokenByte }.map { token in
        String(decoding: token.map(\.lowercased), as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...:
            true
        default: false
        }
    }

    fileprivate var lowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension String {
    /// The text as the name of a column among the arguments of a module: quoted if it is not a plain word.
    var moduleName: String {
        isPlainWord ? self : quotedDatabaseIdentifier
    }

    /// The text as a literal among the arguments of a module, unless it is a plain word.
    var moduleValue: String {
        isPlainWord ? self : databaseValue.sqlLiteral
    }
}

extension Set<Character> {
    /// The characters in a constant order.
    var sortedText: String { String(sorted()) }
}
