import VigilStorage

extension PostgresSQL {
    /// The first word of the statement, in upper case: its command.
    var command: String { words.first?.text ?? "" }

    /// The effects of the statement, by its command.
    ///
    /// The read tables are unknown: every commit may change its result.
    var access: StatementAccess {
        var access = StatementAccess()
        access.transactionEffect = transactionEffect
        guard access.transactionEffect == nil else { return access }
        access.readsUnknown = !Self.sessionCommands.contains(command)
        access.isReadOnly = isReadOnly
        access.changesSchema = changesSchema
        return access
    }

    /// The commands that change only the session or the transaction.
    private static let sessionCommands: Set<String> = [
        "SET", "RESET", "SHOW", "DISCARD", "LISTEN", "UNLISTEN", "NOTIFY", "PREPARE", "DEALLOCATE", "DECLARE",
        "CLOSE", "MOVE", "LOCK", "LOAD",
    ]

    /// The commands that only read.
    private static let readingCommands: Set<String> = ["SELECT", "VALUES", "TABLE", "WITH", "FETCH", ""]

    /// The commands that EXPLAIN accepts.
    private static let explainedCommands: Set<String> = [
        "SELECT", "VALUES", "TABLE", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "EXECUTE",
        "DECLARE", "REFRESH",
    ]

    private var isReadOnly: Bool {
        switch command {
        case "EXPLAIN":
            let isRun = words.contains { $0.text == "ANALYZE" || $0.text == "ANALYSE" }
            let explained = words.first { Self.explainedCommands.contains($0.text) }?.text ?? command
            return !isRun || Self.readingCommands.contains(explained) && !writes
        case _ where Self.sessionCommands.contains(command): return true
        case _ where Self.readingCommands.contains(command): return !writes
        default: return false
        }
    }

    /// Whether a statement beginning like a read contains a command to write, or to lock rows.
    private var writes: Bool {
        // Without common table expressions, the other commands are names of columns.
        let hasExpressions = command == "EXPLAIN" || words.contains { $0.text == "WITH" }
        return words.indices.contains { index in
            let previous = index > 0 ? words[index - 1].text : ""
            switch words[index].text {
            case "INTO": return true
            case "INSERT", "DELETE", "MERGE": return hasExpressions && mayBeCommand(index)
            case "UPDATE":
                return hasExpressions && mayBeCommand(index) || previous == "FOR" || previous == "KEY"
            case "SHARE": return previous == "FOR" || previous == "KEY"
            default: return false
            }
        }
    }

    /// Whether a word is where the command of a statement with common table expressions can be: after a
    /// parenthesis, or after the name at the end of a SEARCH or CYCLE clause.
    private func mayBeCommand(_ index: Int) -> Bool {
        let keyWord: Int
        switch words[index].previous {
        case .openingParenthesis, .closingParenthesis: return true
        case .word: keyWord = index - 2
        case .quotedName: keyWord = index - 1
        default: return false
        }
        return words.indices.contains(keyWord) && ["SET", "USING"].contains(words[keyWord].text)
    }

    private var changesSchema: Bool {
        switch command {
        case "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "REFRESH", "VACUUM", "ANALYZE", "CHECKPOINT":
            false
        case "SELECT", "WITH", "TABLE", "VALUES": words.contains { $0.text == "INTO" }
        case "EXPLAIN", "EXECUTE": !isReadOnly
        default: !isReadOnly
        }
    }

    /// Whether the statement can change settings of the session beyond the open transaction.
    var changesSettings: Bool {
        switch command {
        case "SET":
            !["LOCAL", "TRANSACTION", "CONSTRAINTS"].contains(words.dropFirst().first?.text ?? "")
        case "RESET", "DISCARD": true
        default: words.contains { $0.text == "SET_CONFIG" }
        }
    }

    /// Whether the statement changes settings, at least for the rest of the transaction.
    var changesTransactionSettings: Bool { changesSettings || command == "SET" }

    /// Whether the statement may call functions, which may write.
    var runsQuery: Bool { isReusable || command == "EXPLAIN" }

    /// Whether the text can be kept prepared.
    var isReusable: Bool {
        switch command {
        case "SELECT", "VALUES", "TABLE", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE": true
        default: false
        }
    }

    private var transactionEffect: TransactionEffect? {
        let following = words.dropFirst().map(\.text)
        switch command {
        case "BEGIN": return .begin
        case "START": return following.first == "TRANSACTION" ? .begin : nil
        case "COMMIT", "END": return following.first == "PREPARED" ? nil : .commit
        case "PREPARE": return following.first == "TRANSACTION" ? .commit : nil
        case "ROLLBACK", "ABORT":
            if following.first == "PREPARED" { return nil }
            return following.contains("TO") ? .rollbackTo(lastName) : .rollback
        case "SAVEPOINT": return .savepoint(lastName)
        case "RELEASE": return .release(lastName)
        default: return nil
        }
    }

    /// The name at the end of the statement, as the server reads it.
    private var lastName: String {
        var lexer = PostgresLexer(text)
        var name = ""
        while let token = lexer.next() {
            let spelling = lexer.text(token.range)
            switch token.kind {
            case .word: name = spelling.foldedName
            case .quotedName:
                name = spelling.dropFirst().dropLast().split(
                    separator: "\"\"", omittingEmptySubsequences: false
                ).joined(separator: "\"")
            default: break
            }
        }
        return name
    }

    /// An unsupported feature, for the message of an error; `nil` if the driver supports the statement.
    var unsupportedFeature: String? {
        switch command {
        case "COPY" where words.contains { $0.text == "STDIN" || $0.text == "STDOUT" }:
            "COPY from or to the client"
        case "COMMIT", "END", "ROLLBACK", "ABORT":
            words.contains { $0.text == "CHAIN" } && !words.contains { $0.text == "NO" } ? "AND CHAIN" : nil
        case "ATTACH": "ATTACH"
        case "DETACH": "DETACH"
        case "PRAGMA": "PRAGMA"
        case "LISTEN", "UNLISTEN": "\(command), because Vigil does not deliver notifications,"
        default: nil
        }
    }
}
