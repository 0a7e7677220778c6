/// A word of SQL, with its place in the text.
struct SQLToken {
    enum Kind: Equatable {
        /// A keyword, or a name without quotes: which of the two, the grammar decides.
        case word(String)
        case quotedName(String)
        case text(String)
        case blob([UInt8])
        /// Without sign, so that the smallest integer can be written.
        case integer(UInt64)
        case real(Double)
        /// As spelled: `?`, `?12`, `:name`.
        case parameter(String)
        case symbol(String)
    }

    var kind: Kind
    var range: Range<Int>
}
