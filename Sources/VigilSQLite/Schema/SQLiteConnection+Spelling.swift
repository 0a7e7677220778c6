package import VigilStorage

extension SQLiteConnection: CommandSpelling {
    package func sql(of command: TransactionCommand) -> String { command.sql }

    package func setsReadOnlyMode(_ sql: String) -> Bool {
        let tokens = SQLTokens(sql).tokens
        guard let first = tokens.first, first.isWord("pragma") else { return false }
        let hasSchema = tokens.count > 3 && tokens[2].isSymbol(".")
        return tokens.dropFirst(hasSchema ? 3 : 1).first?.isWord("query_only") ?? false
    }
}

extension SQLiteConnection: DialectProviding {
    package var schemaNaming: SchemaNaming { .sqlite }
    package var dialect: SQLDialect { .sqlite }
}
