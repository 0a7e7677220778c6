/// A pattern that FTS3 and FTS4 tables can search for.
///
/// ```swift
/// let pattern = FTS3Pattern(matchingAllTokensIn: "database observation")
/// let documents = try Document.matching(pattern).fetchAll(db)
/// ```
///
/// A pattern from a user's text, such as `matchingAllTokensIn`, contains no operators, whatever the text is. It is
/// `nil` if the text contains no token, that is, neither letters nor digits.
public struct FTS3Pattern: Sendable {
    /// The pattern in the syntax of the library.
    public let rawPattern: String

    package init(valid rawPattern: String) {
        self.rawPattern = rawPattern
    }

    private init?(_ text: String, _ pattern: ([String]) -> String) {
        let tokens = fullTextTokens(text)
        guard !tokens.isEmpty else { return nil }
        self.init(valid: pattern(tokens))
    }

    /// Creates a pattern for documents that contain at least one token of a text. Returns `nil` if there is none.
    public init?(matchingAnyTokenIn string: String) {
        // A token that the table's tokenizer does not recognize would make OR a token, or the pattern malformed. A
        // single token needs no quotes.
        self.init(string) { tokens in
            tokens.count == 1 ? tokens[0] : tokens.map { "\"\($0)\"" }.joined(separator: " OR ")
        }
    }

    /// Creates a pattern for documents that contain all tokens of a text. Returns `nil` if there is none.
    public init?(matchingAllTokensIn string: String) {
        self.init(string) { $0.joined(separator: " ") }
    }

    /// Creates a pattern for documents that contain, for each token of a text, a token that begins with it. Returns
    /// `nil` if there is none.
    public init?(matchingAllPrefixesIn string: String) {
        self.init(string) { $0.map { "\($0)*" }.joined(separator: " ") }
    }

    /// Creates a pattern for documents that contain the tokens of a text one after the other. Returns `nil` if there
    /// is none.
    public init?(matchingPhrase string: String) {
        self.init(string) { "\"\($0.joined(separator: " "))\"" }
    }
}
