public import VigilStorage

extension Database {
    /// Returns whether the library of this connection has a feature of the SQL dialect.
    ///
    /// ```swift
    /// if db.supports(.dropColumn) {
    ///     try db.alter(table: "player") { t in t.drop(column: "score") }
    /// }
    /// ```
    public func supports(_ feature: LibraryFeature) -> Bool {
        connection.capabilities.missingFeatures[feature] == nil
    }

    /// Throws an error if the library of this connection lacks a feature.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE`. Its message names the feature, the version that it needs
    ///   and the version of the library.
    package func require(_ feature: LibraryFeature) throws {
        let capabilities = connection.capabilities
        guard capabilities.missingFeatures[feature] != nil else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: capabilities.messageOfMissing(feature))
    }
}
