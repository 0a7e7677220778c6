import VigilStorage

/// The numbers after LIMIT: `n`, `n OFFSET m` or `m, n`.
struct WindowClause {
    /// The number of rows; `nil` if it is an expression.
    let limit: RowConditionTemplate.Operand?
    /// The number of rows before them; `nil` without one, and if it is an expression.
    let offset: RowConditionTemplate.Operand?
    private let hasOffset: Bool

    /// - Parameter tokens: the tokens after LIMIT.
    init(_ tokens: ArraySlice<SQLToken>, _ parameters: ParameterNumbers) {
        let separator = tokens.outerIndexes?.first { tokens[$0].isWord("OFFSET") || tokens[$0].isSymbol(",") }
        let numbers = tokens.split(at: separator.map { [$0] } ?? []).map { Self.operand($0, parameters) }
        let offsetPrecedes = separator.map { tokens[$0].isSymbol(",") } ?? false
        hasOffset = numbers.count == 2
        limit = offsetPrecedes ? numbers[1] : numbers[0]
        offset = hasOffset ? numbers[offsetPrecedes ? 0 : 1] : nil
    }

    private static func operand(
        _ tokens: ArraySlice<SQLToken>, _ parameters: ParameterNumbers
    ) -> RowConditionTemplate.Operand? {
        guard let last = tokens.last else { return nil }
        if tokens.count == 1, last.kind == .parameter { return parameters[last].map { .parameter($0) } }
        let isNegative = tokens.count == 2 && tokens.first?.isSymbol("-") == true
        guard tokens.count == 1 || isNegative, last.kind == .number, let number = Int64(last.text) else {
            return nil
        }
        return .value(.integer(isNegative ? -number : number))
    }

    /// Throws if a number is an expression.
    func check() throws(Refusal) {
        guard limit != nil, !hasOffset || offset != nil else {
            throw Refusal("its LIMIT or OFFSET is an expression")
        }
    }

    /// Returns the window, if its literal numbers permit to keep its rows.
    func window() throws(Refusal) -> ListPlan.Window {
        try check()
        guard let limit else { throw Refusal("it has no LIMIT") }
        let window = ListPlan.Window(limit: limit, offset: offset)
        do throws(WindowRange.Failure) {
            // The values of parameters are not known yet.
            _ = try WindowRange(window) { _ in .integer(0) }
        } catch {
            throw Refusal(error.text)
        }
        return window
    }
}
