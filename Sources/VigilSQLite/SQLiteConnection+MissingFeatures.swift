import VigilStorage

extension SQLiteConnection {
    /// Returns a syntax error with the feature that the library lacks, if the statement uses one.
    func explainedSyntaxError(_ error: StorageError) -> StorageError {
        guard !capabilities.missingFeatures.isEmpty, let sql = error.sql,
            let feature = missingFeature(error.message, sql)
        else { return error }
        return StorageError(
            error.code, "\(error.message); \(capabilities.messageOfMissing(feature))", sql: sql)
    }

    private func missingFeature(_ message: String, _ sql: String) -> LibraryFeature? {
        if message.isSameName(as: "no such function: iif") {
            return capabilities.missingFeatures[.iif].map { _ in .iif }
        }
        guard message.hasSuffix("syntax error") else { return nil }
        let tokens = SQLTokens(sql)
        return LibraryFeature.allCases.first {
            capabilities.missingFeatures[$0] != nil && tokens.mayUse($0)
        }
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
        case .nullsOrdering: contains(["NULLS", "FIRST"]) || contains(["NULLS", "LAST"])
        case .filteredAggregates: contains(["FILTER", "WHERE"])
        // A syntax error has another cause.
        case .iif: false
        case .orderedAggregates: ordersArguments
        }
    }

    /// Whether a function call contains `ORDER BY` after its arguments.
    private var ordersArguments: Bool {
        let notFunctions: Set<String> = ["over", "as", "in", "exists", "from", "join", "filter"]
        // For each open parenthesis, whether it may follow the name of a function.
        var mayBeCalls: [Bool] = []
        for (index, token) in tokens.enumerated() {
            if token.isSymbol("(") {
                let isAfterName = index > 0 && (tokens[index - 1].kind == .word || tokens[index - 1].isQuoted)
                let isQuery =
                    index + 1 < tokens.count && tokens[index + 1].isWord(in: ["select", "with", "values"])
                mayBeCalls.append(
                    isAfterName && !isQuery && !tokens[index - 1].isWord(in: notFunctions))
            } else if token.isSymbol(")") {
                _ = mayBeCalls.popLast()
            } else if mayBeCalls.last == true, token.isWord("ORDER"), index + 1 < tokens.count,
                tokens[index + 1].isWord("BY")
            {
                return true
            }
        }
        return false
    }

    private func contains(_ sequence: [String]) -> Bool {
        let words = words
        return words.indices.contains { start in
            words.count - start >= sequence.count
                && zip(words[start...], sequence).allSatisfy { $0.isSameName(as: $1) }
        }
    }
}
