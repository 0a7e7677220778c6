/// A tokenizer of FTS3 and FTS4 tables. It splits text into tokens.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS4()) { t in
///     t.tokenizer = .unicode61(tokenCharacters: ["-"])
///     t.column("title")
/// }
/// ```
public struct FTS3TokenizerDescriptor: Sendable {
    package let name: String
    package let arguments: [String]

    private init(_ name: String, arguments: [String] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// Tokens are ASCII letters, digits, and all characters outside of ASCII. ASCII case is ignored.
    public static let simple = FTS3TokenizerDescriptor("simple")

    /// As ``simple``, with English words reduced to their stem.
    public static let porter = FTS3TokenizerDescriptor("porter")

    /// Tokens are letters and digits of Unicode. Their case is ignored.
    ///
    /// - Parameters:
    ///   - diacritics: How letters with diacritics are compared.
    ///   - separators: Characters that separate tokens, in addition to all except letters and digits.
    ///   - tokenCharacters: Characters that are part of tokens, in addition to letters and digits.
    public static func unicode61(
        diacritics: FTS3.Diacritics = .removeLegacy, separators: Set<Character> = [],
        tokenCharacters: Set<Character> = []
    ) -> FTS3TokenizerDescriptor {
        var arguments: [String] = []
        switch diacritics {
        case .removeLegacy: break
        case .keep: arguments.append("remove_diacritics=0")
        case .remove: arguments.append("remove_diacritics=2")
        }
        if !separators.isEmpty { arguments.append("separators=\(separators.sortedText)") }
        if !tokenCharacters.isEmpty { arguments.append("tokenchars=\(tokenCharacters.sortedText)") }
        return FTS3TokenizerDescriptor("unicode61", arguments: arguments)
    }

    var moduleArgument: String {
        "tokenize=" + ([name] + arguments.map(\.quotedDatabaseIdentifier)).joined(separator: " ")
    }
}
