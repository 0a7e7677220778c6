/// Why a piece of a statement gives no conditions.
struct Refusal: Error {
    /// The piece; the whole statement if there are none.
    var tokens: ArraySlice<SQLToken>
    var reason: String

    init(_ reason: String, at tokens: ArraySlice<SQLToken> = []) {
        self.tokens = tokens
        self.reason = reason
    }
}
