import VigilStorage

extension SQLiteConnection {
    /// Returns a compilation error with the missing feature of the library, if the statement uses one.
    func explainedSyntaxError(_ error: StorageError) -> StorageError {
        guard !capabilities.missingFeatures.isEmpty, let sql = error.sql,
            let feature = missingFeature(in: sql, error.message)
        else { return error }
        return StorageError(
            error.code, "\(error.message); \(capabilities.messageOfMissing(feature))", sql: sql)
    }

    /// Returns a message of the library, with what it leaves out.
    func explainedMessage(_ message: String) -> String {
        explainedUnsafeUse(explainedModuleMessage(message))
    }

    /// Returns a message of the library, with the library's name if it lacks the module of a virtual table.
    private func explainedModuleMessage(_ message: String) -> String {
        let prefix = "no such module: "
        guard message.hasPrefix(prefix) else { return message }
        let isFTS5 = message.dropFirst(prefix.count).lowercased().hasPrefix("fts5")
        return "\(message); the library \(library.description) is built without "
            + (isFTS5 ? "FTS5: use FTS4, or a library with FTS5" : "this module")
    }

    private func missingFeature(in sql: String, _ message: String) -> LibraryFeature? {
        let missing = capabilities.missingFeatures
        if message.hasSuffix("syntax error") {
            let tokens = SQLTokens(sql)
            return LibraryFeature.allCases.first { missing[$0] != nil && tokens.mayUse($0) }
        }
        // Existing functions with another number of arguments.
        if message.foldedName.hasPrefix("wrong number of arguments to function json_valid(") {
            return missing[.jsonValidationOptions] == nil ? nil : .jsonValidationOptions
        }
        let prefix = "no such function: "
        guard message.hasPrefix(prefix) else { return nil }
        let name = message.dropFirst(prefix.count).lowercased()
        let feature: LibraryFeature? =
            switch name {
            case "iif": .iif
            case "json_error_position": .jsonErrorPosition
            case _ where name.hasPrefix("jsonb"): .jsonb
            case _ where name == "json" || name.hasPrefix("json_"): .json
            default: nil
            }
        return feature.flatMap { missing[$0] == nil ? nil : $0 }
    }
}

extension SQLTokens {
    /// Returns whether an invalid statement contains the words of a feature.
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
        case .aggregateFilter: contains(["FILTER", "WHERE"])
        case .aggregateOrdering: hasOrderedArguments
        case .jsonOperators: tokens.contains { $0.kind == .symbol && $0.text.hasPrefix("->") }
        case .iif, .json, .jsonErrorPosition, .jsonValidationOptions, .jsonb: false
        }
    }

    private var hasOrderedArguments: Bool {
        var openCalls: [Bool] = []
        for index in tokens.indices {
            let token = tokens[index]
            if token.isSymbol("(") {
                let isQuery = index + 1 < tokens.count && tokens[index + 1].isWord(in: ["select", "with"])
                let isCall =
                    index > 0 && tokens[index - 1].kind == .word
                    && !tokens[index - 1].isWord(in: ["over", "in", "as", "exists", "from"])
                openCalls.append(isCall && !isQuery)
            } else if token.isSymbol(")") {
                _ = openCalls.popLast()
            } else if token.isWord("ORDER"), openCalls.last == true {
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
