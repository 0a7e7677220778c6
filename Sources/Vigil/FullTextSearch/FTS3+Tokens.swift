import VigilEngine
public import VigilQuery

extension FTS3 {
    /// Returns the tokens of a text, as FTS3 and FTS4 tables find them.
    ///
    /// ```swift
    /// let tokens = try FTS3.tokenize("Observed databases", withTokenizer: .porter)
    /// // ["observ", "databas"]
    /// ```
    ///
    /// - Throws: `DatabaseError` if the library lacks the tokenizer, or is built without FTS3.
    public static func tokenize(
        _ string: String, withTokenizer tokenizer: FTS3TokenizerDescriptor = .simple
    ) throws -> [String] {
        let arguments = [tokenizer.name] + tokenizer.arguments.map(\.quotedDatabaseIdentifier)
        return try DatabaseQueue().inDatabase { db in
            try db.create(
                virtualTable: "vigil_tokens", using: "fts3tokenize(\(arguments.joined(separator: ", ")))")
            return try String.fetchAll(
                db, sql: "SELECT token FROM vigil_tokens WHERE input = ? ORDER BY position",
                arguments: [string])
        }
    }
}
