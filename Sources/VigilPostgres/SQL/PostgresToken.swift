/// A token of PostgreSQL's SQL, as finely as is needed to find statements and their parameters.
struct PostgresToken: Equatable {
    enum Kind: Equatable {
        /// A key word, or a name without quotes.
        case word
        /// A name in double quotes, with its prefix `U&` if it has one.
        case quotedName
        /// A string of any kind: in quotes, with a prefix, or in dollar quotes.
        case string
        case number
        /// `?`, with the index after the largest one so far.
        case nextParameter
        /// `?1` or `$1`.
        case numberedParameter(Int)
        /// `:name`, `@name` or `$name`.
        case namedParameter
        /// `??`, for a question mark in an operator.
        case questionMark
        case semicolon
        case openingParenthesis
        case closingParenthesis
        /// Any other character or operator.
        case other
    }

    let kind: Kind
    /// The UTF-8 offsets of the token.
    let range: Range<Int>
}
