import VigilStorage

/// The clauses of a plain SELECT that determine which rows take part.
struct SelectOutline {
    let resultColumns: ArraySlice<SQLToken>
    let sources: ArraySlice<SQLToken>
    /// The expression after WHERE, if any.
    let condition: ArraySlice<SQLToken>?
    /// The expression after HAVING, if any.
    let groupCondition: ArraySlice<SQLToken>?
    let order: ArraySlice<SQLToken>?
    /// The terms after GROUP BY, if any.
    let groups: ArraySlice<SQLToken>?
    /// Whether there is a GROUP BY or a HAVING.
    let hasGroups: Bool
    /// The tokens after LIMIT, if any.
    let limit: ArraySlice<SQLToken>?
    /// The words that may name a table in a nested SELECT.
    let nestedNames: Set<String>

    private static let afterCondition: Set<String> = ["group", "having", "order", "limit"]
    private static let compounds: Set<String> = ["union", "intersect", "except"]

    init(_ tokens: [SQLToken]) throws(Refusal) {
        var tokens = tokens[...]
        if let last = tokens.last, last.isSymbol(";") { tokens = tokens.dropLast() }
        guard tokens.first?.isWord("SELECT") == true, let outer = tokens.outerIndexes,
            !tokens.contains(where: { $0.kind == .illegal || $0.isSymbol(";") })
        else { throw Refusal("only a plain SELECT has conditions") }
        if let word = outer.first(where: { tokens[$0].isWord(in: Self.compounds) }) {
            throw Refusal("the statement combines queries (\(tokens[word].text))")
        }
        if outer.contains(where: { tokens[$0].isWord("WINDOW") }) {
            throw Refusal("the statement has the word WINDOW")
        }
        guard let from = Self.beginOfSources(tokens, outer) else {
            throw Refusal("the statement has no tables")
        }
        let rest = outer.drop { $0 <= from }
        let end = rest.first { tokens[$0].isWord(in: Self.afterCondition) } ?? tokens.endIndex
        let filter = rest.first { tokens[$0].isWord("WHERE") && $0 < end }
        resultColumns = tokens[tokens.index(after: tokens.startIndex)..<from]
        sources = tokens[(from + 1)..<(filter ?? end)]
        condition = filter.map { tokens[($0 + 1)..<end] }
        let having = rest.first { tokens[$0].isWord("HAVING") }
        groupCondition = having.map { having in
            let end = rest.first { $0 > having && tokens[$0].isWord(in: ["order", "limit"]) }
            return tokens[(having + 1)..<(end ?? tokens.endIndex)]
        }
        groups = rest.first { tokens[$0].isWord("GROUP") }.map { group in
            let end = rest.first { $0 > group && tokens[$0].isWord(in: ["having", "order", "limit"]) }
            return tokens[min(group + 2, end ?? tokens.endIndex)..<(end ?? tokens.endIndex)]
        }
        hasGroups = rest.contains { tokens[$0].isWord(in: ["group", "having"]) }
        let limit = rest.first { tokens[$0].isWord("LIMIT") }
        self.limit = limit.map { tokens[($0 + 1)...] }
        order = rest.first { tokens[$0].isWord("ORDER") }.map { order in
            let end = limit ?? tokens.endIndex
            return tokens[min(order + 2, end)..<end]
        }
        nestedNames = Self.names(inNestedSelects: tokens)
        try Self.refuseTablesAfterIn(tokens)
    }

    /// Finds FROM. `IS DISTINCT FROM` is an operator.
    private static func beginOfSources(_ tokens: ArraySlice<SQLToken>, _ outer: [Int]) -> Int? {
        outer.first { tokens[$0].isWord("FROM") && !tokens[$0 - 1].isWord("DISTINCT") }
    }

    /// Refuses statements with `x IN player`, which reads the table without a SELECT.
    private static func refuseTablesAfterIn(_ tokens: ArraySlice<SQLToken>) throws(Refusal) {
        for index in tokens.indices where tokens[index].isWord("IN") {
            guard index + 1 < tokens.endIndex, tokens[index + 1].isSymbol("(") else {
                throw Refusal("the statement has an IN that is not followed by a list")
            }
        }
    }

    private static func names(inNestedSelects tokens: ArraySlice<SQLToken>) -> Set<String> {
        var names: Set<String> = []
        var index = tokens.startIndex
        while index < tokens.endIndex {
            guard tokens[index].isSymbol("("), let end = tokens[index...].closingIndex else {
                index += 1
                continue
            }
            let group = tokens[index...end]
            if group.contains(where: { $0.isWord("SELECT") }) {
                names.formUnion(group.filter { $0.kind == .word || $0.isQuoted }.map(\.content.foldedName))
            }
            index = end + 1
        }
        return names
    }
}

/// The reason why no conditions are derived from a part of a statement.
struct Refusal: Error {
    /// The part; empty for the whole statement.
    var tokens: ArraySlice<SQLToken>
    var reason: String

    init(_ reason: String, at tokens: ArraySlice<SQLToken> = []) {
        self.tokens = tokens
        self.reason = reason
    }
}
