import VigilEngine

/// A tokenizer of FTS5 tables. It splits text into tokens.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.tokenizer = .porter(wrapping: .unicode61(diacritics: .keep))
///     t.column("title")
/// }
/// ```
public struct FTS5TokenizerDescriptor: Sendable {
    /// The name of the tokenizer, and its arguments.
    public let components: [String]

    var name: String { components.first ?? "" }

    var arguments: [String] { Array(components.dropFirst()) }

    /// Creates a descriptor from the name of a tokenizer and its arguments.
    ///
    /// ```swift
    /// let tokenizer = FTS5TokenizerDescriptor(components: ["trigram", "case_sensitive", "1"])
    /// ```
    ///
    /// A descriptor without a name is not valid: creating a table with it fails.
    public init(components: [String]) {
        self.components = components
    }

    /// Tokens are ASCII letters, digits, and all characters outside of ASCII. ASCII case is ignored.
    ///
    /// - Parameters:
    ///   - separators: ASCII letters and digits that separate tokens.
    ///   - tokenCharacters: Other ASCII characters that are part of tokens.
    public static func ascii(separators: Set<Character> = [], tokenCharacters: Set<Character> = [])
        -> FTS5TokenizerDescriptor
    {
        FTS5TokenizerDescriptor(components: ["ascii"] + classes(separators, tokenCharacters))
    }

    /// Reduces English words to their stem.
    ///
    /// - Parameter base: The tokenizer of the words; `nil` for `unicode61`.
    public static func porter(wrapping base: FTS5TokenizerDescriptor? = nil) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
    }

    /// Tokens are letters and digits of Unicode. Their case is ignored.
    ///
    /// - Parameters:
    ///   - diacritics: How letters with diacritics are compared.
    ///   - categories: The Unicode categories of token characters, such as `L* N* Co`; empty for letters,
    ///     digits and characters for private use. Requires SQLite 3.25.
    ///   - separators: Other characters that separate tokens.
    ///   - tokenCharacters: Other characters that are part of tokens.
    public static func unicode61(
        diacritics: FTS5.Diacritics = .removeLegacy, categories: String = "", separators: Set<Character> = [],
        tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        var components = ["unicode61"]
        switch diacritics {
        case .removeLegacy: break
        case .keep: components += ["remove_diacritics", "0"]
        case .remove: components += ["remove_diacritics", "2"]
        }
        if !categories.isEmpty { components += ["categories", categories] }
        return FTS5TokenizerDescriptor(components: components + classes(separators, tokenCharacters))
    }

    /// Tokens are all sequences of three characters, so patterns match parts of words. Requires SQLite 3.34.
    ///
    /// Patterns for fewer than three characters match nothing.
    ///
    /// - Parameter matchesCase: Whether the case of letters is significant.
    public static func trigram(matchesCase: Bool = false) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["trigram"] + (matchesCase ? ["case_sensitive", "1"] : []))
    }

    private static func classes(_ separators: Set<Character>, _ tokenCharacters: Set<Character>) -> [String] {
        (separators.isEmpty ? [] : ["separators", separators.sortedText])
            + (tokenCharacters.isEmpty ? [] : ["tokenchars", tokenCharacters.sortedText])
    }

    /// The tokenizer and its arguments, as the module reads them.
    var moduleText: String {
        components.map(\.databaseValue.sqlLiteral).joined(separator: " ")
    }
}
