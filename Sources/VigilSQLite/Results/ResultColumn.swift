import VigilStorage

/// A result column of a query as written, or a `*` for several.
struct ResultColumn {
    let tokens: ArraySlice<SQLToken>
    /// The column of a table, if there is nothing else but an alias.
    let reference: ColumnReference?
    /// The last word, if it may be an alias. It may also be the end of an expression.
    let possibleAlias: String?

    init(_ tokens: ArraySlice<SQLToken>) {
        self.tokens = tokens
        let column = ColumnReference(tokens)
        let rest = tokens.dropFirst(column?.length ?? 0)
        let isColumn = column != nil && rest.isEmpty
        possibleAlias = isColumn ? nil : Self.lastName(tokens)
        let length = rest.first?.isWord("AS") == true ? 2 : 1
        reference = isColumn || possibleAlias != nil && rest.count == length ? column : nil
    }

    /// Returns the name after AS, or a possible alias without it. `score ISNULL` ends with a keyword.
    private static func lastName(_ tokens: ArraySlice<SQLToken>) -> String? {
        guard let last = tokens.last, last.kind == .word || last.isQuoted else { return nil }
        return last.mayBeName || tokens.dropLast().last?.isWord("AS") == true ? last.content : nil
    }

    /// Whether it is `*` or `player.*`.
    var isStar: Bool { tokens.last?.isSymbol("*") == true }

    /// The column without its alias, as far as this is certain.
    var expression: ArraySlice<SQLToken> {
        if let reference { return tokens.prefix(reference.length) }
        let isNamed = tokens.count > 2 && tokens[tokens.endIndex - 2].isWord("AS")
        return isNamed ? tokens.dropLast(2) : tokens
    }
}

extension SelectOutline {
    func columns() throws(Refusal) -> [ResultColumn] {
        let written = resultColumns.first?.isWord("ALL") == true ? resultColumns.dropFirst() : resultColumns
        guard let parts = written.outerParts else { throw Refusal("the result columns were not understood") }
        return parts.map(ResultColumn.init)
    }
}
