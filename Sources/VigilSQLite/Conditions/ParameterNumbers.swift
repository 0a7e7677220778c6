import VigilStorage

/// The numbers of a statement's parameters, by their position in the text.
struct ParameterNumbers {
    private var numbers: [Int: Int] = [:]

    /// Numbers the parameters. Throws ``Refusal`` if the library numbers them differently.
    ///
    /// - Parameter statement: the compiled statement, whose parameters come from the library.
    init(_ tokens: [SQLToken], of statement: any StorageStatement) throws(Refusal) {
        var last = 0
        var known: [ExactString: Int] = [:]
        for token in tokens where token.kind == .parameter {
            let number: Int
            if token.text == "?" {
                number = last + 1
            } else if token.text.hasPrefix("?") {
                guard let written = Int(token.text.dropFirst()) else { throw Self.refusal }
                number = written
            } else {
                number = known[ExactString(token.text)] ?? last + 1
            }
            let expected = token.text == "?" ? nil : ExactString(token.text)
            let name = statement.parameterName(at: number).map { ExactString($0) }
            guard name == expected || token.text.hasPrefix("?") else {
                throw Self.refusal
            }
            known[ExactString(token.text)] = number
            last = max(last, number)
            numbers[token.range.lowerBound] = number
        }
        guard last == statement.parameterCount else { throw Self.refusal }
    }

    private static var refusal: Refusal { Refusal("the parameters were not understood") }

    subscript(token: SQLToken) -> Int? { numbers[token.range.lowerBound] }
}
