import VigilStorage

/// The reason why no conditions are derived from a part of a statement.
struct Refusal: Error {
    /// The part; empty for the whole statement.
    var tokens: ArraySlice<SQLToken>
    var reason: String

    init(_ reason: String, at tokens: ArraySlice<SQLToken> = []) {
        self.tokens = tokens
        self.reason = reason
    }
}
