import VigilStorage

/// Words that SQLite reads as keywords where a name is also possible.
enum SQLKeywords {
    /// Keywords that cannot be table names without quotes, or aliases without AS.
    static let reserved: Set<String> = [
        "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate", "commit",
        "constraint", "create", "cross", "default", "deferrable", "delete", "distinct", "drop", "else", "end",
        "escape",
        "except", "exists", "filter", "foreign", "from", "full", "group", "having", "in", "index", "indexed",
        "inner",
        "insert", "intersect", "into", "is", "isnull", "join", "left", "limit", "natural", "not", "nothing",
        "notnull", "null", "on", "or", "order", "outer", "over", "primary", "references", "returning",
        "right",
        "select", "set", "table", "then", "to", "transaction", "union", "unique", "update", "using", "values",
        "when", "where", "window", "with",
    ]

    /// Keywords that begin an expression, or are one.
    static let expressions: Set<String> = [
        "case", "cast", "current_date", "current_time", "current_timestamp", "exists", "not", "null", "raise",
        "select", "values", "with",
    ]

    static let joins: Set<String> = ["cross", "full", "inner", "left", "natural", "outer", "right"]
}

extension SQLToken {
    /// Whether the token can be the name of a table, or an alias without AS.
    var mayBeName: Bool { isQuoted || kind == .word && !isWord(in: SQLKeywords.reserved) }
}
