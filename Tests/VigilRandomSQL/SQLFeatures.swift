/// The SQL features of a library.
package struct SQLFeatures: Sendable {
    private let version: [Int]
    /// Whether `UPDATE` and `DELETE` support `ORDER BY` and `LIMIT`, which is a build option of the library.
    package let hasLimitedWrites: Bool

    /// Creates the features of a library version.
    ///
    /// - Parameter libraryVersion: A version such as `3.40.1`.
    package init(libraryVersion: String, hasLimitedWrites: Bool = false) {
        version = libraryVersion.split(separator: ".").prefix(2).compactMap { Int($0) }
        self.hasLimitedWrites = hasLimitedWrites
    }

    private func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        !version.lexicographicallyPrecedes([major, minor])
    }

    /// Whether the tables that a view names are hidden from common table expressions of the same name. Old
    /// libraries confuse the columns of the expression and of the view, and continue to do so on that
    /// connection.
    package var hidesCommonTables: Bool { isAtLeast(3, 40) }
    /// Whether rows whose row ids are at most a text or a blob, which all are, are found in descending order.
    /// SQLite 3.15 finds none; 3.40 finds them.
    package var comparesKeysWithText: Bool { isAtLeast(3, 40) }
    package var hasUpserts: Bool { isAtLeast(3, 24) }
    package var renamesColumns: Bool { isAtLeast(3, 25) }
    package var hasGeneratedColumns: Bool { isAtLeast(3, 31) }
    package var hasUpdateFrom: Bool { isAtLeast(3, 33) }
    /// Whether a statement may have several `ON CONFLICT` clauses, the last of them without columns.
    package var hasSeveralUpserts: Bool { isAtLeast(3, 35) }
    package var hasReturning: Bool { isAtLeast(3, 35) }
    package var dropsColumns: Bool { isAtLeast(3, 35) }
}
