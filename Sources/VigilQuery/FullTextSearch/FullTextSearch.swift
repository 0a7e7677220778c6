public import VigilEngine

extension TableRequest where Self: FilteredRequest {
    /// Returns a request for the rows of an FTS3 or FTS4 table matching a pattern in any column; for no row
    /// if the pattern is `nil`.
    ///
    /// ```swift
    /// Document.all().matching(FTS3Pattern(matchingAllTokensIn: "database observation"))
    /// ```
    public func matching(_ pattern: FTS3Pattern?) -> Self { matching(rawPattern: pattern?.rawPattern) }

    /// Returns a request for the rows of an FTS5 table matching a pattern in any column; for no row if the
    /// pattern is `nil`.
    ///
    /// ```swift
    /// Document.all().matching(FTS5Pattern(matchingAllTokensIn: "database observation"))
    /// ```
    public func matching(_ pattern: FTS5Pattern?) -> Self { matching(rawPattern: pattern?.rawPattern) }

    private func matching(rawPattern: String?) -> Self {
        guard let rawPattern else { return none() }
        return filter(SQLExpression(.tableMatch(rawPattern.sqlExpression)))
    }
}

extension TableRecord {
    /// Returns a request for the rows of an FTS3 or FTS4 table matching a pattern in any column; for no row
    /// if the pattern is `nil`.
    public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> {
        all().matching(pattern)
    }

    /// Returns a request for the rows of an FTS5 table matching a pattern in any column; for no row if the
    /// pattern is `nil`.
    public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> {
        all().matching(pattern)
    }
}

extension ColumnExpression {
    /// Whether a column of an FTS3 or FTS4 table matches a pattern. No row matches `nil`.
    ///
    /// ```swift
    /// Document.filter { $0.title.match(FTS3Pattern(matchingPhrase: "observing changes")) }
    /// ```
    public func match(_ pattern: FTS3Pattern?) -> SQLExpression {
        .operation("MATCH", of: sqlExpression, and: SQLExpression(orNull: pattern?.rawPattern))
    }

    /// Whether a column of an FTS5 table matches a pattern.
    ///
    /// ```swift
    /// let pattern = try FTS5Pattern(rawPattern: "observ* NOT swift")
    /// Document.filter { $0.title.match(pattern) }
    /// ```
    public func match(_ pattern: FTS5Pattern) -> SQLExpression {
        .operation("MATCH", of: sqlExpression, and: pattern.rawPattern.sqlExpression)
    }
}
