import VigilStorage

/// The parts of an expression joined by AND.
struct ConditionConjuncts {
    enum Part {
        /// A part with neither AND nor OR, outside of parentheses.
        case expression(ArraySlice<SQLToken>)
        /// A part with alternatives, of which one must be true.
        case disjunction(ArraySlice<SQLToken>, alternatives: [ArraySlice<SQLToken>])
        case refusal(Refusal)

        var tokens: ArraySlice<SQLToken> {
            switch self {
            case .expression(let tokens), .disjunction(let tokens, _): tokens
            case .refusal(let refusal): refusal.tokens
            }
        }
    }

    private(set) var parts: [Part] = []

    init(_ expression: ArraySlice<SQLToken>) {
        add(expression)
    }

    private mutating func add(_ expression: ArraySlice<SQLToken>) {
        let expression = expression.withoutParentheses
        guard let separators = Separators(expression) else {
            parts.append(.refusal(Refusal("it was not understood", at: expression)))
            return
        }
        if !separators.or.isEmpty {
            // `OR` is the only operator with a lower precedence than `AND`.
            parts.append(.disjunction(expression, alternatives: expression.split(at: separators.or)))
        } else if separators.and.isEmpty {
            parts.append(.expression(expression))
        } else {
            expression.split(at: separators.and).forEach { add($0) }
        }
    }
}

/// The positions of AND and OR in an expression, outside of parentheses and CASE.
private struct Separators {
    private(set) var and: [Int] = []
    private(set) var or: [Int] = []

    /// Finds the separators; `nil` if they are uncertain.
    init?(_ expression: ArraySlice<SQLToken>) {
        guard let outer = expression.outerIndexes, !expression.isEmpty else { return nil }
        // `end` may also be the name of a column, and then the end of a CASE is ambiguous.
        let cases = outer.filter { expression[$0].isWord("CASE") }.count
        guard cases == 0 || cases == outer.filter({ expression[$0].isWord("END") }).count else { return nil }
        var openCases = 0
        var openBetweens = 0
        for index in outer {
            let token = expression[index]
            if token.isWord("CASE") { openCases += 1 }
            if token.isWord("END"), cases > 0 { openCases -= 1 }
            guard openCases == 0 else { continue }
            if token.isWord("BETWEEN") { openBetweens += 1 }
            if token.isWord("OR") {
                // The first operand of BETWEEN can contain OR.
                guard openBetweens == 0 else { return nil }
                or.append(index)
            }
            guard token.isWord("AND") else { continue }
            if openBetweens > 0 { openBetweens -= 1 } else { and.append(index) }
        }
        guard openCases == 0, openBetweens == 0 else { return nil }
    }
}
