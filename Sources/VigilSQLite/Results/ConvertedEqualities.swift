import VigilStorage

/// Finds equalities of a column with values of another affinity.
///
/// The library takes the column for a constant then, and does not sort by it, also to find groups, distinct
/// values and the greatest one. But with a numeric affinity, different texts are equal, such as `1` and
/// `1.0`.
struct ConvertedEqualities {
    private let equalities: [ArraySlice<SQLToken>]
    private let columns: [ResultColumn]
    private let occurrences: [TableOccurrence]

    /// Functions without effect on a search, around a condition.
    private static let hints: Set<String> = ["likelihood", "likely", "unlikely"]

    init(in outline: SelectOutline, columns: [ResultColumn], occurrences: [TableOccurrence]) {
        let conditions = [outline.condition, outline.groupCondition] + occurrences.map(\.source.condition)
        let comparisons = conditions.compactMap { $0 }.flatMap { Self.comparisons(in: $0) }
        equalities = comparisons.filter { tokens in
            !Self.isMembership(tokens)
                && tokens.contains { $0.isSymbol("=") || $0.isSymbol("==") || $0.isWord("IS") }
        }
        self.columns = columns
        self.occurrences = occurrences
    }

    /// Returns the parts of an expression joined by AND and OR.
    private static func comparisons(in expression: ArraySlice<SQLToken>) -> [ArraySlice<SQLToken>] {
        ConditionConjuncts(expression).parts.flatMap { part -> [ArraySlice<SQLToken>] in
            guard case .disjunction(_, let alternatives) = part else { return [part.tokens] }
            return alternatives.flatMap { comparisons(in: $0) }
        }
    }

    /// Whether a comparison is `column IN (…)`: equalities in the list make no column a constant.
    private static func isMembership(_ tokens: ArraySlice<SQLToken>) -> Bool {
        guard let column = ColumnReference(tokens) else { return false }
        var rest = tokens.dropFirst(column.length)
        if rest.first?.isWord("NOT") == true { rest = rest.dropFirst() }
        guard rest.first?.isWord("IN") == true else { return false }
        let list = rest.dropFirst()
        return list.first?.isSymbol("(") == true && list.closingIndex == list.endIndex - 1
    }

    /// Returns whether a column may be converted, or one equal to it.
    func contains(_ column: ColumnReference.Meaning) -> Bool {
        let affinity = affinity(of: column)
        if equalities.isEmpty || affinity == .numeric || affinity == .real { return false }
        var pending = [column]
        var seen: Set<ColumnReference.Meaning> = []
        while let next = pending.popLast() {
            guard seen.insert(next).inserted else { continue }
            let names = names(of: next)
            for equality in equalities where refers(equality, to: next, names) {
                guard let compared = columnsComparedAlike(in: equality) else { return true }
                pending += compared
            }
        }
        return false
    }

    /// Returns the two columns of an equality, or none for a column and constants; `nil` if a value may be
    /// converted.
    private func columnsComparedAlike(in equality: ArraySlice<SQLToken>) -> [ColumnReference.Meaning]? {
        // Literals and parameters have no affinity.
        if equality.indices.count(where: { beginsName(at: $0, equality) }) <= 1 { return [] }
        guard let left = ColumnReference(equality) else { return nil }
        let rest = equality.dropFirst(left.length + 1)
        guard let right = ColumnReference(rest), right.length == rest.count,
            let first = left.meaning(in: occurrences), let second = right.meaning(in: occurrences),
            let affinity = affinity(of: first), affinity == self.affinity(of: second)
        else { return nil }
        return [first, second]
    }

    /// Returns whether an equality contains a column. A name may be an alias only if no column has it.
    private func refers(
        _ equality: ArraySlice<SQLToken>, to column: ColumnReference.Meaning, _ names: Set<String>
    ) -> Bool {
        equality.indices.contains { index in
            guard beginsName(at: index, equality), !isArgument(at: index, equality),
                let reference = ColumnReference(equality[index...])
            else { return false }
            if let meaning = reference.meaning(in: occurrences) { return meaning == column }
            return reference.parts.last.map { names.contains($0.content.foldedName) } ?? false
        }
    }

    /// Returns whether a token is within a call: the result is not the value of the column.
    private func isArgument(at index: Int, _ tokens: ArraySlice<SQLToken>) -> Bool {
        var closed = 0
        for place in (tokens.startIndex..<index).reversed() {
            if tokens[place].isSymbol(")") { closed += 1 }
            guard tokens[place].isSymbol("(") else { continue }
            if closed > 0 {
                closed -= 1
            } else if let name = tokens[..<place].last, name.mayBeName {
                return !Self.hints.contains(name.content.foldedName)
            }
        }
        return false
    }

    private func beginsName(at index: Int, _ tokens: ArraySlice<SQLToken>) -> Bool {
        let token = tokens[index]
        guard token.kind == .word || token.kind == .quotedName else { return false }
        return !token.isWord(in: ["is", "not", "null"]) && tokens[..<index].last?.isSymbol(".") != true
    }

    /// Returns the affinity of a column; `nil` for ANY.
    private func affinity(of column: ColumnReference.Meaning) -> ColumnAffinity? {
        switch column {
        case .rowID: .numeric
        case .column(_, let column): ColumnAffinity(declaredType: column.type)
        }
    }

    /// Returns the name of a column, and its aliases.
    private func names(of column: ColumnReference.Meaning) -> Set<String> {
        guard case .column(_, let named) = column else { return [] }
        let aliases = columns.filter { $0.reference?.meaning(in: occurrences) == column }
            .compactMap(\.possibleAlias)
        return Set((aliases + [named.name]).map(\.foldedName))
    }
}
