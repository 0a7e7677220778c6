import VigilStorage

/// The functions of the library that raise no error, whatever their arguments.
///
/// All others may fail: `abs` overflows, functions of JSON reject malformed text, and `replace`, `hex`,
/// `printf` or `zeroblob` may produce values beyond the maximum length. Functions of the program may throw.
enum SafeFunctions {
    static let names = unconditional.union(dates).union(trims).union(["strftime", "json_valid"])

    private static let unconditional: Set<String> = [
        // Selection and types
        "coalesce", "ifnull", "iif", "likelihood", "likely", "max", "min", "nullif", "typeof", "unlikely",
        // Text: a result is not longer than the arguments, or has only a few characters for each.
        "char", "instr", "length", "lower", "octet_length", "substr", "substring", "unicode", "upper",
        // Numbers: undefined results are NULL.
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh",
        "degrees",
        "exp", "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians", "random",
        "round",
        "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
        // Aggregates of counts or reals. A `sum` of integers can overflow.
        "avg", "count", "total",
        // The connection
        "changes", "last_insert_rowid", "sqlite_source_id", "sqlite_version", "total_changes",
    ]

    /// Invalid dates result in NULL. In generated columns, these functions fail for the current time.
    private static let dates: Set<String> = ["date", "datetime", "julianday", "time", "unixepoch"]

    /// The list of characters to trim is copied, and may become too long.
    private static let trims: Set<String> = ["ltrim", "rtrim", "trim"]

    /// Returns whether a call of a function of the library, given its folded name, raises no error.
    static func contains(
        _ name: String, arguments: ArraySlice<SQLToken>, isGenerating: Bool
    ) -> Bool {
        if unconditional.contains(name) { return true }
        if dates.contains(name) { return !isGenerating }
        let arguments = arguments.outerParts ?? []
        func isLiteral(at index: Int) -> Bool {
            arguments.indices.contains(index) && arguments[index].count == 1
                && arguments[index].first?.kind == .string
        }
        if trims.contains(name) { return arguments.count == 1 || isLiteral(at: 1) }
        return switch name {
        // The format determines the length of the result.
        case "strftime": !isGenerating && isLiteral(at: 0)
        // The second argument must be a known flag.
        case "json_valid": arguments.count == 1
        default: false
        }
    }

    /// Returns whether an aggregate of the library is computed with each group, after all rows were selected.
    static func isAggregate(_ name: String) -> Bool {
        ["avg", "count", "group_concat", "sum", "total"].contains(name)
    }
}

extension ArraySlice<SQLToken> {
    /// The parts between commas outside of parentheses; `nil` if the parentheses do not match.
    var outerParts: [Self]? {
        // Commas inside of parentheses are not among the outer indexes.
        outerIndexes.map { outer in split(at: outer.filter { self[$0].isSymbol(",") }) }
    }
}
