import VigilStorage

/// The numbers of a statement's parameters, by their position in the text.
struct ParameterNumbers {
    private var numbers: [Int: Int] = [:]

    /// Numbers the parameters. Throws ``Refusal`` if the library numbers them differently.
    ///
    /// - Parameters:
    ///   - count: the number of the last parameter, according to the library.
    ///   - name: returns the name of a parameter, according to the library.
    init(_ tokens: [SQLToken], count: Int, name: (Int) -> String?) throws(Refusal) {
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
            guard name(number).map({ ExactString($0) }) == expected || token.text.hasPrefix("?") else {
                throw Self.refusal
            }
            known[ExactString(token.text)] = number
            last = max(last, number)
            numbers[token.range.lowerBound] = number
        }
        guard last == count else { throw Self.refusal }
    }

    private static var refusal: Refusal { Refusal("the parameters were not understood") }

    subscript(token: SQLToken) -> Int? { numbers[token.range.lowerBound] }
}
