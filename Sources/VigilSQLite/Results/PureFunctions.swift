import CVigilSQLite
import VigilStorage

/// The functions of the library that depend on nothing but their arguments.
///
/// Functions of dates are not among them: `date('now')` changes without a change of the database. The
/// library's own list calls them deterministic, so it does not help.
enum PureFunctions {
    static let names = scalars.union(aggregates)

    private static let scalars: Set<String> = [
        // Operators
        "->", "->>", "glob", "like",
        // Selection and types
        "coalesce", "ifnull", "iif", "likelihood", "likely", "nullif", "typeof", "unlikely",
        // Text
        "char", "concat", "concat_ws", "format", "instr", "length", "lower", "ltrim", "octet_length",
        "printf", "quote", "replace", "rtrim", "substr", "substring", "trim", "unicode", "upper",
        // Blobs
        "hex", "unhex", "zeroblob",
        // Numbers
        "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh",
        "degrees", "exp", "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians",
        "round",
        "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
        // JSON
        "json", "json_array", "json_array_length", "json_extract", "json_insert", "json_object", "json_patch",
        "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid",
    ]

    /// The aggregates. Only nested queries may call them, except for `max` and `min` with several arguments.
    static let aggregates: Set<String> = [
        "avg", "count", "group_concat", "json_group_array", "json_group_object", "max", "min", "string_agg",
        "sum", "total",
    ]
}

extension SQLiteConnection {
    /// Records a call of the authorizer: a function of the statement, or a change of what statements mean.
    func recordFunction(_ action: Int32, first: UnsafePointer<CChar>?, second: UnsafePointer<CChar>?) {
        switch SQLiteAction(rawValue: action) {
        case .function where libraryFunctions.called != nil:
            if let second { libraryFunctions.called?.insert(String(cString: second).foldedName) }
        case .pragma:
            guard let first else { return }
            if vigil_sqlite_same_name(first, "case_sensitive_like") != 0 { willReplaceLike() }
            guard second != nil else { return }
            if vigil_sqlite_same_name(first, "journal_mode") != 0 {
                journal.follower?.journalModeWillChange()
            }
            // The order of rows with equal sort values may change.
            if vigil_sqlite_same_name(first, "reverse_unordered_selects") != 0
                || vigil_sqlite_same_name(first, "threads") != 0
            {
                conditionsMayHaveChanged()
            }
        // Statistics decide about query plans.
        case .analyze: conditionsMayHaveChanged()
        default: break
        }
    }
}
