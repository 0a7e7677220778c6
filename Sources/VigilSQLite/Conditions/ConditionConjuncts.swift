/// The parts of an expression that must all be true for the whole to be true.
struct ConditionConjuncts {
    private(set) var expressions: [ArraySlice<SQLToken>] = []
    private(set) var refusals: [Refusal] = []

    init(_ expression: ArraySlice<SQLToken>) {
        add(expression)
    }

    private mutating func add(_ expression: ArraySlice<SQLToken>) {
        let expression = expression.withoutParentheses
        switch Self.split(expression) {
        case .failure(let refusal): refusals.append(refusal)
        case .success(let parts) where parts.count == 1: expressions.append(expression)
        case .success(let parts): parts.forEach { add($0) }
        }
    }

    /// Splits an expression at AND. `OR` is the only operator with a lower precedence.
    private static func split(_ expression: ArraySlice<SQLToken>) -> Result<[ArraySlice<SQLToken>], Refusal> {
        guard let outer = expression.outerIndexes, !expression.isEmpty else {
            return .failure(Refusal("it was not understood", at: expression))
        }
        // `end` may also be the name of a column, and then the end of a CASE is ambiguous.
        let cases = outer.filter { expression[$0].isWord("CASE") }.count
        guard cases == 0 || cases == outer.filter({ expression[$0].isWord("END") }).count else {
            return .failure(Refusal("it was not understood", at: expression))
        }
        var separators: [Int] = []
        var openCases = 0
        var openBetweens = 0
        for index in outer {
            let token = expression[index]
            if token.isWord("CASE") { openCases += 1 }
            if token.isWord("END"), cases > 0 { openCases -= 1 }
            guard openCases == 0 else { continue }
            if token.isWord("OR") {
                return .failure(Refusal("only conditions joined by AND are used, not OR", at: expression))
            }
            if token.isWord("BETWEEN") { openBetweens += 1 }
            guard token.isWord("AND") else { continue }
            if openBetweens > 0 { openBetweens -= 1 } else { separators.append(index) }
        }
        guard openCases == 0, openBetweens == 0 else {
            return .failure(Refusal("it was not understood", at: expression))
        }
        return .success(expression.split(at: separators))
    }
}
