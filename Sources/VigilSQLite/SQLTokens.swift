import VigilStorage

/// The tokens of a piece of SQL.
struct SQLTokens {
    let tokens: [SQLToken]

    init(_ sql: String) {
        var scanner = SQLScanner(sql)
        var tokens: [SQLToken] = []
        while let token = scanner.next() { tokens.append(token) }
        self.tokens = tokens
    }

    /// Names and keywords, without quotes.
    var words: [String] {
        tokens.filter { $0.kind == .word || $0.kind == .quotedName }.map(\.content)
    }

    /// What may stand for the name of a table: SQLite takes strings too, where they can be nothing else.
    var possibleTableNames: [String] {
        tokens.indices.filter { index in
            let token = tokens[index]
            guard token.kind == .string, index > 0 else { return token.kind == .word || token.isQuoted }
            let previous = tokens[index - 1]
            return previous.isWord(in: ["from", "join", "in"]) || previous.isSymbol(",")
                || previous.isSymbol(".")
        }.map { tokens[$0].content }
    }

    func contains(_ word: String) -> Bool {
        words.contains { $0.isSameName(as: word) }
    }

    func startsWith(_ prefix: [String]) -> Bool {
        let words = words
        return words.count >= prefix.count && zip(words, prefix).allSatisfy { $0.isSameName(as: $1) }
    }
}
