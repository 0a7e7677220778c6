import VigilStorage

struct SQLTokens {
    let tokens: [SQLToken]

    init(_ sql: String) {
        var scanner = SQLScanner(sql)
        var tokens: [SQLToken] = []
        while let token = scanner.next() { tokens.append(token) }
        self.tokens = tokens
    }

    /// The keywords and names, without quotes.
    var words: [String] {
        tokens.filter { $0.kind == .word || $0.kind == .quotedName }.map(\.content)
    }

    /// The words and strings that can be table names: SQLite accepts strings where only a name is possible.
    var possibleTableNames: [String] {
        tokens.indices.filter { index in
            let token = tokens[index]
            guard token.kind == .string, index > 0 else { return token.kind == .word || token.isQuoted }
            let previous = tokens[index - 1]
            return previous.isWord(in: ["from", "join", "in"]) || previous.isSymbol(",")
                || previous.isSymbol(".")
        }.map { tokens[$0].content } + namesWithByteOrderMarks
    }

    /// The names after `SELECT * FROM`, with their schemas.
    var tablesReadAsAWhole: [(schema: String?, name: String)] {
        var tables: [(schema: String?, name: String)] = []
        for index in tokens.indices.dropFirst() where tokens[index].isSymbol("*") {
            guard tokens[index - 1].isWord(in: ["select", "all"]), index + 1 < tokens.count,
                tokens[index + 1].isWord("FROM")
            else { continue }
            let names = Array(tokens[(index + 2)...].drop { $0.isSymbol("(") }.prefix(3))
            if names.count == 3, names[1].isSymbol(".") {
                tables.append((schema: names[0].content, name: names[2].content))
            } else if let name = names.first {
                tables.append((schema: nil, name: name.content))
            }
        }
        return tables
    }

    /// The words after U+FEFF, for libraries that treat it as a letter.
    private var namesWithByteOrderMarks: [String] {
        var names: [String] = []
        var marks = ""
        var end = 0
        for token in tokens {
            if token.range.lowerBound != end { marks = "" }
            end = token.range.upperBound
            if token.kind == .byteOrderMark {
                marks += token.text
            } else {
                if token.kind == .word || token.kind == .number, !marks.isEmpty {
                    names.append(marks + token.text)
                }
                marks = ""
            }
        }
        return names
    }

    /// Returns whether a text may join tables by columns of the same name, with `NATURAL` or `USING`.
    static func mayJoinByName(_ sql: String) -> Bool {
        // Most texts contain neither word, and need not be split.
        guard sql.utf8.containsFolded("using") || sql.utf8.containsFolded("natural") else { return false }
        let tokens = SQLTokens(sql)
        return tokens.contains("USING") || tokens.contains("NATURAL")
    }

    /// Returns whether a text begins with `EXPLAIN`: the statement is described, and does not run.
    static func isExplanation(_ sql: String) -> Bool {
        guard sql.utf8.containsFolded("explain") else { return false }
        var scanner = SQLScanner(sql)
        while let token = scanner.next() {
            if !token.isSymbol(";"), token.kind != .byteOrderMark { return token.isWord("EXPLAIN") }
        }
        return false
    }

    /// The expressions of generated columns, if this is the definition of a table.
    var generatingExpressions: [ArraySlice<SQLToken>] {
        tokens.indices.compactMap { index in
            guard tokens[index].isWord("AS"), let end = tokens[(index + 1)...].closingIndex,
                tokens[index + 1].isSymbol("(")
            else { return nil }
            return tokens[(index + 2)..<end]
        }
    }

    func contains(_ word: String) -> Bool {
        words.contains { $0.isSameName(as: word) }
    }

    func startsWith(_ prefix: [String]) -> Bool {
        let words = words
        return words.count >= prefix.count && zip(words, prefix).allSatisfy { $0.isSameName(as: $1) }
    }
}

extension String.UTF8View {
    /// Returns whether the bytes contain a word, given in lowercase ASCII letters, in any case.
    ///
    /// Each prepared statement is searched, so that the loops use pointers: without optimization, those over
    /// collections took a tenth of the time of all tests.
    func containsFolded(_ word: StaticString) -> Bool {
        withContiguousStorageIfAvailable { bytes in
            guard let start = bytes.baseAddress else { return false }
            let (letters, length) = (word.utf8Start, word.utf8CodeUnitCount)
            var place = 0
            while place + length <= bytes.count {
                var matched = 0
                while matched < length, start[place + matched] | 0x20 == letters[matched] { matched += 1 }
                if matched == length { return true }
                place += 1
            }
            return false
        } ?? true
    }
}
