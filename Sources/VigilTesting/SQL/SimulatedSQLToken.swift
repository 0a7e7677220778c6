/// A token of SQL, with its range in the text.
struct SimulatedSQLToken {
    enum Kind: Equatable {
        /// A keyword or a name without quotes, which the parser distinguishes.
        case word(String)
        case quotedName(String)
        case text(String)
        case blob([UInt8])
        /// The magnitude of an integer, without its sign, so that the smallest `Int64` can be represented.
        case integer(UInt64)
        case real(Double)
        /// A parameter as it is spelled: `?`, `?12`, `:name`.
        case parameter(String)
        case symbol(String)
    }

    var kind: Kind
    /// The range of the token in the UTF-8 bytes of the text.
    var range: Range<Int>
}
