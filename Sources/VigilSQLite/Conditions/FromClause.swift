import VigilStorage

/// The tables after FROM, and their join conditions.
struct FromClause {
    struct Source {
        var schema: String?
        var name: String
        var alias: String?
        /// Whether the table is on the right of a LEFT JOIN: other rows need no matching row of this one.
        var isOptional = false
        /// The expression after ON.
        var condition: ArraySlice<SQLToken>?
    }

    private(set) var sources: [Source] = []
    /// The hints for the search in the tables: `INDEXED BY name`, `NOT INDEXED` and `CROSS`.
    private(set) var hints: [ArraySlice<SQLToken>] = []
    private var rest: ArraySlice<SQLToken>

    init(_ tokens: ArraySlice<SQLToken>) throws(Refusal) {
        rest = tokens
        try readSource(isOptional: false)
        while let isOptional = try readJoin() { try readSource(isOptional: isOptional) }
        guard rest.isEmpty else { throw Refusal("the tables after FROM were not understood", at: rest) }
    }

    // MARK: - Tables

    private mutating func readSource(isOptional: Bool) throws(Refusal) {
        if rest.first?.isSymbol("(") == true {
            throw Refusal("there is a query or a join in parentheses after FROM")
        }
        var source = Source(schema: nil, name: try readName(), isOptional: isOptional)
        if rest.first?.isSymbol(".") == true {
            rest = rest.dropFirst()
            source.schema = source.name
            source.name = try readName()
        }
        if rest.first?.isSymbol("(") == true { throw Refusal("there is a function after FROM") }
        source.alias = try readAlias()
        try skipIndexChoice()
        source.condition = try readCondition()
        sources.append(source)
    }

    private mutating func readName() throws(Refusal) -> String {
        guard let token = rest.first, token.mayBeName else {
            throw Refusal("the tables after FROM were not understood")
        }
        rest = rest.dropFirst()
        return token.content
    }

    private mutating func readAlias() throws(Refusal) -> String? {
        if rest.first?.isWord("AS") == true {
            rest = rest.dropFirst()
            return try readName()
        }
        guard let token = rest.first, token.mayBeName else { return nil }
        rest = rest.dropFirst()
        return token.content
    }

    private mutating func skipIndexChoice() throws(Refusal) {
        let start = rest
        defer { if rest.startIndex > start.startIndex { hints.append(start[..<rest.startIndex]) } }
        if rest.first?.isWord("INDEXED") == true, rest.dropFirst().first?.isWord("BY") == true {
            rest = rest.dropFirst(2)
            _ = try readName()
        } else if rest.first?.isWord("NOT") == true, rest.dropFirst().first?.isWord("INDEXED") == true {
            rest = rest.dropFirst(2)
        }
    }

    // MARK: - Joins

    /// Reads a join operator. Returns whether the next table is optional; `nil` at the end.
    private mutating func readJoin() throws(Refusal) -> Bool? {
        guard let first = rest.first else { return nil }
        if first.isSymbol(",") {
            rest = rest.dropFirst()
            return false
        }
        let words = rest.prefix { $0.isWord(in: SQLKeywords.joins) }
        rest = rest.dropFirst(words.count)
        hints += words.indices.filter { words[$0].isWord("CROSS") }.map { words[$0...$0] }
        guard rest.first?.isWord("JOIN") == true else {
            throw Refusal("the tables after FROM were not understood")
        }
        rest = rest.dropFirst()
        if let word = words.first(where: { $0.isWord(in: ["natural", "right", "full"]) }) {
            throw Refusal("the statement has a \(word.text) JOIN")
        }
        return words.contains { $0.isWord(in: ["left", "outer"]) }
    }

    private mutating func readCondition() throws(Refusal) -> ArraySlice<SQLToken>? {
        if rest.first?.isWord("USING") == true { throw Refusal("the statement has a JOIN with USING") }
        guard rest.first?.isWord("ON") == true else { return nil }
        rest = rest.dropFirst()
        let end = rest.outerIndexes?.first { rest[$0].isSymbol(",") || beginsJoin(at: $0) } ?? rest.endIndex
        let condition = rest[..<end]
        rest = rest[end...]
        let isNested = condition.outerIndexes?.contains { condition[$0].isWord(in: ["on", "using"]) } ?? true
        if isNested { throw Refusal("the tables after FROM were not understood") }
        return condition
    }

    private func beginsJoin(at index: Int) -> Bool {
        rest[index...].first { !$0.isWord(in: SQLKeywords.joins) }?.isWord("JOIN") == true
    }
}
