/// A search pattern for FTS3 and FTS4 tables.
///
/// ```swift
/// let pattern = FTS3Pattern(matchingAllTokensIn: "database observation")
/// let documents = try Document.matching(pattern).fetchAll(db)
/// ```
///
/// A pattern from a user's text, such as `matchingAllTokensIn`, contains no operators, whatever the text is.
/// It is `nil` if the text contains no token, for example neither letters nor digits.
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

    /// Creates a pattern for documents with at least one token of a text.
    public init?(matchingAnyTokenIn string: String) {
        // With a token unknown to the table's tokenizer, OR would become a token, or the pattern would be
        // malformed. By default, tokenizers know ASCII letters and digits. A single token needs no quotes.
        self.init(string) { tokens in
            guard tokens.count > 1 else { return tokens[0] }
            return tokens.map { $0.utf8.allSatisfy { $0 < 0x80 } ? $0 : "\"\($0)\"" }
                .joined(separator: " OR ")
        }
    }

    /// Creates a pattern for documents with all tokens of a text. Returns `nil` for a text without tokens.
    public init?(matchingAllTokensIn string: String) {
        self.init(string) { $0.joined(separator: " ") }
    }

    /// Creates a pattern for documents that contain all tokens of a text, each as a prefix.
    public init?(matchingAllPrefixesIn string: String) {
        self.init(string) { $0.map { "\($0)*" }.joined(separator: " ") }
    }

    /// Creates a pattern for documents with the tokens of a text one after the other.
    public init?(matchingPhrase string: String) {
        self.init(string) { "\"\($0.joined(separator: " "))\"" }
    }
}
