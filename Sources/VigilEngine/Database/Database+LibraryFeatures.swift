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
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE`. Its message names the feature, the required version
    ///   and the version of the library.
    package func require(_ feature: LibraryFeature) throws {
        let capabilities = connection.capabilities
        guard capabilities.missingFeatures[feature] != nil else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: capabilities.messageOfMissing(feature))
    }

    /// Throws `SQLITE_MISUSE`, with the name of the feature, if the SQL dialect lacks it.
    package func requireInDialect(_ feature: SQLDialect.Feature) throws {
        if dialect.missingFeatures.contains(feature) { throw DatabaseError.isUnsupported(feature.rawValue) }
    }
}

extension DatabaseError {
    /// Returns the error for something that the backend does not support.
    package static func isUnsupported(_ name: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "the backend does not support \(name)")
    }
}
