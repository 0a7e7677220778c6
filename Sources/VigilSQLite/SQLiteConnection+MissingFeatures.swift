import VigilStorage

extension SQLiteConnection {
    /// Returns a syntax error with the feature that the library lacks, if the statement uses one.
    func explainedSyntaxError(_ error: StorageError) -> StorageError {
        guard !capabilities.missingFeatures.isEmpty, error.message.hasSuffix("syntax error"),
            let sql = error.sql
        else { return error }
        let tokens = SQLTokens(sql)
        let feature = LibraryFeature.allCases.first {
            capabilities.missingFeatures[$0] != nil && tokens.mayUse($0)
        }
        guard let feature else { return error }
        return StorageError(
            error.code, "\(error.message); \(capabilities.messageOfMissing(feature))", sql: sql)
    }
}

extension SQLTokens {
    /// Returns whether a statement contains the words of a feature.
    fileprivate func mayUse(_ feature: LibraryFeature) -> Bool {
        switch feature {
        case .upsert: contains(["ON", "CONFLICT"]) && contains("DO")
        case .upsertOnAnyConflict: contains(["CONFLICT", "DO"])
        case .returning: contains("RETURNING")
        case .renameColumn: startsWith(["ALTER"]) && contains("RENAME") && !contains(["RENAME", "TO"])
        case .dropColumn: startsWith(["ALTER"]) && contains("DROP")
        case .strictTables: startsWith(["CREATE"]) && contains("STRICT")
        case .generatedColumns: startsWith(["CREATE", "TABLE"]) && contains("AS") || contains("GENERATED")
        case .vacuumInto: startsWith(["VACUUM"]) && contains("INTO")
        }
    }

    private func contains(_ sequence: [String]) -> Bool {
        let words = words
        return words.indices.contains { start in
            words.count - start >= sequence.count
                && zip(words[start...], sequence).allSatisfy { $0.isSameName(as: $1) }
        }
    }
}
