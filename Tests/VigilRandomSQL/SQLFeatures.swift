/// What a library understands.
package struct SQLFeatures: Sendable {
    private let version: [Int]
    /// Whether `UPDATE` and `DELETE` take `ORDER BY` and `LIMIT`, which a library is built with or without.
    package let hasLimitedWrites: Bool

    /// - Parameter libraryVersion: such as `3.40.1`.
    package init(libraryVersion: String, hasLimitedWrites: Bool = false) {
        version = libraryVersion.split(separator: ".").prefix(2).compactMap { Int($0) }
        self.hasLimitedWrites = hasLimitedWrites
    }

    private func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        !version.lexicographicallyPrecedes([major, minor])
    }

    /// Whether a view means the tables of the schema, also where a common table expression has the name of one. Old
    /// libraries take the expression's columns for the view's, and go on to do so on that connection.
    package var hidesCommonTables: Bool { isAtLeast(3, 40) }
    package var hasUpserts: Bool { isAtLeast(3, 24) }
    package var renamesColumns: Bool { isAtLeast(3, 25) }
    package var hasGeneratedColumns: Bool { isAtLeast(3, 31) }
    package var hasUpdateFrom: Bool { isAtLeast(3, 33) }
    /// Several `ON CONFLICT` clauses, of which the last needs no columns.
    package var hasSeveralUpserts: Bool { isAtLeast(3, 35) }
    package var hasReturning: Bool { isAtLeast(3, 35) }
    package var dropsColumns: Bool { isAtLeast(3, 35) }
}
