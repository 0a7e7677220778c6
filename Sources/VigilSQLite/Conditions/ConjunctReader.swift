import VigilStorage

/// Reads a single conjunct of a column, an operator and constants.
///
/// All tokens must match the pattern, to overlook no operator of another precedence.
struct ConjunctReader {
    struct Reading {
        var column: ColumnReference
        var test: RowConditionTemplate.Test
    }

    let context: SQLConstant.Context

    func read(_ tokens: ArraySlice<SQLToken>) throws(Refusal) -> Reading {
        if let column = ColumnReference(tokens) {
            let rest = tokens.dropFirst(column.length)
            if let test = test(rest) { return Reading(column: column, test: test) }
            throw Refusal(reason(rest), at: tokens)
        }
        // The constant is on the left: `5 < score`.
        if let constant = SQLConstant(tokens, context), let symbol = tokens.dropFirst(constant.length).first,
            let column = ColumnReference(tokens.dropFirst(constant.length + 1)),
            tokens.count == constant.length + 1 + column.length
        {
            if let mirrored = Self.mirrored[symbol.text], symbol.kind == .symbol {
                return Reading(column: column, test: comparison(mirrored, constant.operand))
            }
        }
        throw Refusal("not a comparison between a column and a constant", at: tokens)
    }

    // MARK: - Operators

    private static let mirrored = ["=": "=", "==": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="]

    private func comparison(
        _ symbol: String, _ operand: RowConditionTemplate.Operand
    ) -> RowConditionTemplate.Test {
        switch symbol {
        case "<": .range(lower: nil, upper: .init(operand, isIncluded: false))
        case "<=": .range(lower: nil, upper: .init(operand, isIncluded: true))
        case ">": .range(lower: .init(operand, isIncluded: false), upper: nil)
        case ">=": .range(lower: .init(operand, isIncluded: true), upper: nil)
        default: .oneOf([operand])
        }
    }

    private func test(_ tokens: ArraySlice<SQLToken>) -> RowConditionTemplate.Test? {
        guard let first = tokens.first else { return nil }
        let rest = tokens.dropFirst()
        if first.kind == .symbol {
            guard Self.mirrored[first.text] != nil else { return nil }
            return only(rest).map { comparison(first.text, $0.operand) }
        }
        if first.isWord("ISNULL") { return rest.isEmpty ? .isNull : nil }
        if first.isWord("NOTNULL") { return rest.isEmpty ? .isNotNull : nil }
        if first.isWord("NOT") {
            return rest.count == 1 && rest.first?.isWord("NULL") == true ? .isNotNull : nil
        }
        if first.isWord("IS") { return identity(rest) }
        if first.isWord("IN") { return list(rest) }
        if first.isWord("BETWEEN") { return between(rest) }
        if first.isWord("LIKE") { return only(rest).map { .matches(.like, $0.operand) } }
        if first.isWord("GLOB") { return only(rest).map { .matches(.glob, $0.operand) } }
        return nil
    }

    private func identity(_ tokens: ArraySlice<SQLToken>) -> RowConditionTemplate.Test? {
        if tokens.first?.isWord("NOT") == true {
            return tokens.count == 2 && tokens.dropFirst().first?.isWord("NULL") == true ? .isNotNull : nil
        }
        guard let constant = only(tokens), !constant.isTruthValue else { return nil }
        return constant.operand == .value(.null) ? .isNull : .identical(constant.operand)
    }

    /// Returns the constant if the tokens contain nothing else.
    private func only(_ tokens: ArraySlice<SQLToken>) -> SQLConstant? {
        SQLConstant(tokens, context).flatMap { $0.length == tokens.count ? $0 : nil }
    }

    private func list(_ tokens: ArraySlice<SQLToken>) -> RowConditionTemplate.Test? {
        guard tokens.first?.isSymbol("(") == true, tokens.closingIndex == tokens.endIndex - 1 else {
            return nil
        }
        let list = tokens.dropFirst().dropLast()
        if list.isEmpty { return .oneOf([]) }
        let elements = list.split(at: list.indices.filter { list[$0].isSymbol(",") }).map { only($0) }
        let operands = elements.compactMap { $0?.operand }
        return operands.count == elements.count ? .oneOf(operands) : nil
    }

    private func between(_ tokens: ArraySlice<SQLToken>) -> RowConditionTemplate.Test? {
        guard let lower = SQLConstant(tokens, context) else { return nil }
        let rest = tokens.dropFirst(lower.length)
        guard rest.first?.isWord("AND") == true, let upper = only(rest.dropFirst()) else { return nil }
        return .range(
            lower: .init(lower.operand, isIncluded: true), upper: .init(upper.operand, isIncluded: true))
    }

    // MARK: - Reasons

    private func reason(_ tokens: ArraySlice<SQLToken>) -> String {
        if tokens.contains(where: { $0.isWord("COLLATE") }) { return "it names a collation" }
        if tokens.contains(where: { $0.isWord("SELECT") }) { return "it contains a query" }
        if tokens.first?.kind == .symbol, let column = ColumnReference(tokens.dropFirst()),
            tokens.count == 1 + column.length
        {
            return "it compares two columns"
        }
        return "not a comparison between a column and a constant"
    }
}
