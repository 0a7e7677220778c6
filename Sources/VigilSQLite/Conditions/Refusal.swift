/// The reason why a part of a statement gives no conditions.
struct Refusal: Error {
    /// The part; empty for the whole statement.
    var tokens: ArraySlice<SQLToken>
    var reason: String

    init(_ reason: String, at tokens: ArraySlice<SQLToken> = []) {
        self.tokens = tokens
        self.reason = reason
    }
}
