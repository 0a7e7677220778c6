/// The commands and clauses that only SQLite's dialect has.
private let dialectWords = [
    "PRAGMA", "VACUUM", "AUTOINCREMENT", "WITHOUT ROWID", "STRICT", "INSERT OR", "UPDATE OR",
]

/// The prefixes of names that only SQLite has.
///
/// Names of result codes, such as `SQLITE_BUSY`, are part of the API of all backends.
private let dialectPrefixes = ["sqlite_", "pragma_"]

private let dialectPattern =
    #"\b(?:\#(dialectWords.joined(separator: "|")))\b|\b(?:\#(dialectPrefixes.joined(separator: "|")))\w*"#

/// The modules above the drivers that generate or run SQL.
private let modulesAboveDrivers: Set<String> = ["VigilRegions", "VigilEngine", "VigilQuery"]

/// Finds words that only SQLite has in the string literals of modules above the drivers.
///
/// These modules ask the driver for the words, with `SchemaNaming`, `SQLDialect` and `EmbeddedConnection`.
func dialectWordFindings(_ file: SourceFile) -> [Finding] {
    guard file.isSource, let module = file.module, modulesAboveDrivers.contains(module) else { return [] }
    // Most files contain none of the words, not even in a comment.
    guard (dialectWords + dialectPrefixes).contains(where: file.contains) else { return [] }
    return file.matches(dialectPattern, in: file.literals).map { match in
        Finding(
            rule: .dialectWord, path: file.path, line: match.line,
            message: "\(match.text): ask the driver for words of its dialect")
    }
}
