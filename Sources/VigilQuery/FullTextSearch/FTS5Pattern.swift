/// A search pattern for FTS5 tables.
///
/// ```swift
/// let pattern = FTS5Pattern(matchingAllPrefixesIn: searchField.text)
/// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
/// ```
///
/// A pattern from a user's text, such as `matchingAllPrefixesIn`, contains no operators, whatever the text
/// is. It is `nil` if the text contains no token, for example neither letters nor digits.
public struct FTS5Pattern: Sendable {
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
        self.init(string) { $0.joined(separator: " OR ") }
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

    /// Creates a pattern for documents with the tokens of a text at the beginning of a column.
    public init?(matchingPrefixPhrase string: String) {
        self.init(string) { "^\"\($0.joined(separator: " "))\"" }
    }
}

extension Column {
    /// The column of FTS5 tables for sorting the best matches first.
    ///
    /// ```swift
    /// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
    /// ```
    public static let rank = Column("rank")
}
