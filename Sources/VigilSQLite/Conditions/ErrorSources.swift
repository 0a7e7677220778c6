import VigilStorage

/// Finds the parts of expressions that may raise an error for a row.
///
/// The library evaluates the parts of a condition in any order. If one of them fails for a row that does not
/// meet another, the row affects the result.
struct ErrorSources {
    /// Returns whether a function, given its folded name, is the library's own.
    let isBuiltIn: (String) -> Bool
    /// The maximum length of a pattern, in bytes.
    let maximumPatternLength: Int
    /// The maximum length of a value, in bytes.
    let maximumLength: Int
    let parameters: ParameterNumbers
    /// Generated columns that may raise an error when they are read.
    var failingColumns: Set<String> = []
    /// Whether the expressions compute generated columns.
    var isGenerating = false
    /// The lengths of parameters, in bytes, beyond which the expressions may fail.
    private(set) var parameterLimits: [Int: Int] = [:]

    /// Returns the name of the first part that may raise an error.
    mutating func first(in tokens: ArraySlice<SQLToken>) -> String? {
        for index in tokens.indices {
            if let source = source(at: index, tokens) { return source }
        }
        return nil
    }

    private mutating func source(at index: Int, _ tokens: ArraySlice<SQLToken>) -> String? {
        let token = tokens[index]
        switch token.kind {
        case .word, .quotedName:
            if let operation = operation(at: index, tokens) {
                return mayFail(operation, at: index, tokens) ? operation.uppercased() : nil
            }
            if isCall(at: index, tokens) {
                return mayFail(callAt: index, tokens) ? "\(token.content)()" : nil
            }
            return failingColumns.contains(token.content.foldedName) ? token.content : nil
        case .symbol where token.text.hasPrefix("->"): return token.text
        case .symbol where token.text == "||": return mayFail(concatenationAt: index, tokens) ? "||" : nil
        default: return nil
        }
    }

    // MARK: - Calls

    /// Keywords that may precede a parenthesis, and are never the name of a function.
    private static let keywords: Set<String> = [
        "all", "and", "as", "between", "case", "collate", "distinct", "else", "escape", "exists", "from",
        "having",
        "in", "is", "isnull", "join", "limit", "not", "notnull", "null", "on", "or", "select", "then",
        "using",
        "values", "when", "where",
    ]

    private func isCall(at index: Int, _ tokens: ArraySlice<SQLToken>) -> Bool {
        guard index + 1 < tokens.endIndex, tokens[index + 1].isSymbol("(") else { return false }
        let token = tokens[index]
        if token.isWord(in: Self.keywords) || token.isWord("CAST") { return false }
        let previous = index > tokens.startIndex ? tokens[index - 1] : nil
        if token.isWord("BY") { return previous?.isWord(in: ["group", "order", "partition"]) != true }
        if token.isWord(in: ["filter", "over"]) { return previous?.isSymbol(")") != true }
        return !isType(tokens[..<index])
    }

    /// Returns whether the name after some tokens is a part of the type in `CAST(… AS type(10))`.
    private func isType(_ before: ArraySlice<SQLToken>) -> Bool {
        before.last { $0.kind != .quotedName && ($0.kind != .word || $0.isWord(in: SQLKeywords.reserved)) }?
            .isWord("AS") == true
    }

    private func mayFail(callAt index: Int, _ tokens: ArraySlice<SQLToken>) -> Bool {
        let name = tokens[index].content.foldedName
        guard let end = tokens[(index + 1)...].closingIndex else { return true }
        let arguments = tokens[(index + 2)..<end]
        return !SafeFunctions.contains(name, arguments: arguments, isGenerating: isGenerating)
            || !isBuiltIn(name)
    }

    /// Returns whether an aggregate of the library is called outside of nested queries.
    func hasAggregate(_ tokens: ArraySlice<SQLToken>) -> Bool {
        !tokens.contains { $0.isWord("SELECT") }
            && tokens.indices.contains { index in
                let name = tokens[index].content.foldedName
                return SafeFunctions.isAggregate(name) && isCall(at: index, tokens) && isBuiltIn(name)
            }
    }

    // MARK: - Operators

    private static let operations: Set<String> = ["glob", "like", "match", "regexp"]
    private static let noOperands = SQLKeywords.reserved.union(operations).subtracting([
        "end", "isnull", "notnull", "null",
    ])

    /// Returns the name of the operator at a position; `nil` if the word is something else.
    private func operation(at index: Int, _ tokens: ArraySlice<SQLToken>) -> String? {
        guard tokens[index].isWord(in: Self.operations) else { return nil }
        var before = tokens[..<index]
        if before.last?.isWord("NOT") == true { before = before.dropLast() }
        guard let last = before.last else { return nil }
        let endsOperand =
            switch last.kind {
            case .symbol: last.isSymbol(")")
            case .word: !last.isWord(in: Self.noOperands)
            default: true
            }
        return endsOperand ? tokens[index].text.foldedName : nil
    }

    private mutating func mayFail(
        _ operation: String, at index: Int, _ tokens: ArraySlice<SQLToken>
    ) -> Bool {
        guard ["like", "glob"].contains(operation), isBuiltIn(operation),
            let pattern = ConstantPattern(tokens[(index + 1)...]), pattern.hasValidEscape
        else { return true }
        let rest = maximumPatternLength - pattern.length
        guard rest >= 0 else { return true }
        limit(pattern.parameters, to: rest)
        return false
    }

    /// Returns whether the result of a concatenation may be too long. Constants and parameters are short
    /// enough, if the limits of the parameters hold, but values of rows may not be.
    private mutating func mayFail(concatenationAt index: Int, _ tokens: ArraySlice<SQLToken>) -> Bool {
        guard index > tokens.startIndex, index + 1 < tokens.endIndex else { return true }
        let operands = [tokens[index - 1], tokens[index + 1]]
        guard operands.allSatisfy({ [.string, .number, .blob, .parameter].contains($0.kind) }) else {
            return true
        }
        limit(tokens.filter { $0.kind == .parameter }, to: maximumLength / 2)
        return false
    }

    private mutating func limit(_ tokens: [SQLToken], to length: Int) {
        for token in tokens {
            guard let number = parameters[token] else { continue }
            parameterLimits[number] = min(parameterLimits[number] ?? .max, length / tokens.count)
        }
    }
}

/// The right operand of `LIKE` or `GLOB`, if it does not depend on rows.
private struct ConstantPattern {
    /// The length of the literals, in bytes.
    private(set) var length = 0
    private(set) var parameters: [SQLToken] = []
    private(set) var hasValidEscape = true

    private static let ends: Set<String> = [
        "and", "between", "cross", "else", "end", "escape", "except", "glob", "group", "having", "in",
        "inner",
        "intersect", "is", "isnull", "join", "left", "like", "limit", "match", "not", "notnull", "or",
        "order",
        "regexp", "then", "union", "when",
    ]
    private static let comparisons: Set<String> = ["=", "==", "<>", "!="]

    /// Reads the pattern at the beginning of the tokens; `nil` if it may depend on a row.
    init?(_ tokens: ArraySlice<SQLToken>) {
        var depth = 0
        var rest = tokens
        while let token = rest.first {
            if depth == 0, isEnd(token) { break }
            rest = rest.dropFirst()
            switch token.kind {
            case .string, .number, .blob: length += token.text.utf8.count
            case .parameter: parameters.append(token)
            case .symbol where token.isSymbol(","): return nil
            case .symbol where token.isSymbol("("): depth += 1
            case .symbol where token.isSymbol(")"): depth -= 1
            case .symbol: continue
            case .word where token.isWord("NULL"): continue
            case .word where token.isWord("COLLATE"): rest = rest.dropFirst()
            default: return nil
            }
        }
        guard rest.startIndex > tokens.startIndex else { return nil }
        if rest.first?.isWord("ESCAPE") == true { hasValidEscape = Self.isCharacter(rest.dropFirst()) }
    }

    private func isEnd(_ token: SQLToken) -> Bool {
        token.isSymbol(")") || token.isSymbol(",") || token.isWord(in: Self.ends)
            || token.kind == .symbol && Self.comparisons.contains(token.text)
    }

    /// Returns whether the tokens begin with a literal of one character, and no operator applies to it.
    private static func isCharacter(_ tokens: ArraySlice<SQLToken>) -> Bool {
        guard let first = tokens.first, first.kind == .string, first.content.unicodeScalars.count == 1 else {
            return false
        }
        guard let next = tokens.dropFirst().first else { return true }
        return next.isSymbol(")") || next.isSymbol(",") || next.isWord(in: ends)
    }
}
