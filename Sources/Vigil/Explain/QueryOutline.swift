import VigilEngine
import VigilStorage

/// Rejects SQL other than queries before it is compiled.
///
/// The library executes some pragmas while it *compiles* them, for example `PRAGMA rekey` of SQLCipher. All
/// other statements are checked after compilation, more precisely.
struct QueryOutline {
    static let notAQuery = error(
        "not a query: only statements that return rows and change nothing can be run")

    private static func error(_ message: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: message)
    }

    /// The first words of the first statement, in upper case. Other tokens are empty strings.
    private(set) var firstWords: [String] = []
    /// Whether the first statement is followed by anything but white space and comments.
    private(set) var hasSecondStatement = false

    private static let otherStatements: Set<String> = [
        "ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP", "END",
        "INSERT",
        "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT", "UPDATE", "VACUUM",
    ]

    init(_ sql: String) {
        var scanner = SQLScanner(sql)
        var hasEnded = false
        while let token = scanner.next() {
            // The library treats the mark as white space too.
            if token.kind == .byteOrderMark { continue }
            if token.isSymbol(";") {
                hasEnded = hasEnded || !firstWords.isEmpty
                continue
            }
            guard !hasEnded else {
                hasSecondStatement = true
                return
            }
            if firstWords.count < 4 { firstWords.append(token.kind == .word ? token.text.uppercased() : "") }
        }
    }

    /// Throws an error unless the text is a single statement that may be a query.
    func check() throws(DatabaseError) {
        guard !firstWords.isEmpty else { throw Self.error("the statement is empty") }
        var words = firstWords[...]
        if words.first == "EXPLAIN" { words = words.dropFirst() }
        if words.starts(with: ["QUERY", "PLAN"]) { words = words.dropFirst(2) }
        if let word = words.first, Self.otherStatements.contains(word) {
            throw word == "PRAGMA"
                ? Self.error(
                    "a PRAGMA may have effects, and was not run: SELECT from the table pragma_… instead")
                : Self.notAQuery
        }
        guard !hasSecondStatement else { throw Self.error("more than one statement") }
    }
}
