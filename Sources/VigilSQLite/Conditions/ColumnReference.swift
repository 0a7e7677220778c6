import VigilStorage

/// A column name in an expression: `column`, `table.column` or `schema.table.column`.
struct ColumnReference {
    let parts: [SQLToken]
    /// The number of tokens.
    var length: Int { parts.count * 2 - 1 }

    /// Reads the name at the beginning of the tokens.
    init?(_ tokens: ArraySlice<SQLToken>) {
        var parts: [SQLToken] = []
        var rest = tokens
        while let token = rest.first {
            let isName =
                token.kind == .quotedName || (token.kind == .string && !parts.isEmpty)
                || (token.kind == .word && !token.isWord(in: SQLKeywords.expressions))
            guard isName, parts.count < 3 else { return nil }
            parts.append(token)
            rest = rest.dropFirst()
            guard rest.first?.isSymbol(".") == true else { break }
            rest = rest.dropFirst()
            if rest.isEmpty { return nil }
        }
        // `f(x)` is a function call.
        guard !parts.isEmpty, rest.first?.isSymbol("(") != true else { return nil }
        self.parts = parts
    }

    enum Meaning: Hashable {
        case column(occurrence: Int, StorageTable.Column)
        case rowID(occurrence: Int)

        var occurrence: Int {
            switch self {
            case .column(let index, _), .rowID(let index): index
            }
        }
    }

    /// Returns the meaning of the name; `nil` if it is uncertain.
    func meaning(in occurrences: [TableOccurrence]) -> Meaning? {
        let name = parts[parts.count - 1].content
        let candidates = occurrences.indices.filter { mayMean(occurrences[$0]) }
        let matches = candidates.filter { occurrences[$0].column(named: name) != nil }
        if matches.count == 1, let column = occurrences[matches[0]].column(named: name) {
            return .column(occurrence: matches[0], column)
        }
        guard matches.isEmpty, candidates.count == 1, occurrences[candidates[0]].hasRowID(named: name) else {
            return nil
        }
        return .rowID(occurrence: candidates[0])
    }

    private func mayMean(_ occurrence: TableOccurrence) -> Bool {
        switch parts.count {
        case 1: true
        case 2: occurrence.isNamed(parts[0].content)
        default:
            occurrence.source.alias == nil && occurrence.table.name.isSameName(as: parts[1].content)
                && occurrence.table.schema.isSameName(as: parts[0].content)
        }
    }
}
