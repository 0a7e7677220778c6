import Foundation

/// A pattern of code that is not allowed.
private struct Ban {
    let pattern: String
    let advice: String
    var inTests = false
    /// The folders under `Sources` or `Tests` in which it is allowed.
    var allowedIn: Set<String> = []
}

private let bans: [Ban] = [
    Ban(pattern: #"\btry!"#, advice: "try! traps on a mistake that is not ours: throw it"),
    Ban(pattern: #"\bas!"#, advice: "as! traps on a type that may differ: use as? and decide"),
    Ban(
        pattern: #"\bfatalError\s*\("#,
        advice: "fatalError: throw, or state what was violated in a trap"),
    Ban(
        pattern: #"(?<![\w.])(?:Swift\.)?precondition(?:Failure)?\s*\("#,
        advice: "a precondition has no message in release builds: use trap"),
    Ban(
        pattern: #"(?<![\w.])(?<!func )(?:Swift\.)?(?:print|debugPrint|dump)\("#,
        advice: "a library does not write to the terminal", allowedIn: ["vigil-tool"]),
    Ban(pattern: #"@testable\b"#, advice: "@testable belongs to tests"),
    Ban(
        pattern: #"\bThread\.sleep\b|\bTask(?:<[^>\n]*>)?\.sleep\b|(?<!\.)(?<!func )\b(?:u|nano)?sleep\("#,
        advice: "waiting by sleeping: use an event, or a clock that was passed in", inTests: true),
]

func bannedTokenFindings(_ file: SourceFile) -> [Finding] {
    guard file.isSource || file.isTest else { return [] }
    var findings = unfinishedFindings(file)
    guard file.isSwift, let module = file.module else { return findings }
    for ban in bans where (file.isSource || ban.inTests) && !ban.allowedIn.contains(module) {
        for match in file.matches(ban.pattern) {
            findings.append(
                Finding(rule: .bannedToken, path: file.path, line: match.line, message: ban.advice))
        }
    }
    return findings
}

/// Finds marks of unfinished work, also in comments and strings, and in C.
private func unfinishedFindings(_ file: SourceFile) -> [Finding] {
    guard file.isSource else { return [] }
    return lines(of: file, containing: ["TODO", "FIXME"]).map { line, word in
        Finding(
            rule: .bannedToken, path: file.path, line: line, message: "\(word): finish it, or open an issue")
    }
}

/// Finds conditions on traits outside of the drivers, of the umbrella module that chooses between them, of
/// the adapters of other libraries, and of the tool.
///
/// Elsewhere, differences between libraries are capabilities that are detected at run time.
func traitConditionFindings(_ file: SourceFile) -> [Finding] {
    let allowed: Set<String> = [
        "VigilSQLite", "VigilSQLCipher", "VigilPostgres", "Vigil", "VigilCombine", "VigilRx", "VigilMetrics",
        "vigil-tool",
    ]
    guard file.isSource, let module = file.module, !allowed.contains(module) else { return [] }
    let traits = "SQLite|SQLCipher|PostgreSQL|OpenCombine|RxSwift|Metrics"
    return file.matches(#"^[ \t]*#(?:if|elseif)\b.*\b(?:"# + traits + #")\b"#).map { match in
        Finding(
            rule: .traitCondition, path: file.path, line: match.line,
            message: "depends on a trait: query a capability at run time")
    }
}

func typeNameFindings(_ file: SourceFile) -> [Finding] {
    let pattern =
        #"\b(?:class|struct|enum|actor|protocol|typealias)\s+(\w*(?:Manager|Helpers?|Utils?|Utilities|Impl))\b"#
    return file.matches(pattern).map { match in
        Finding(
            rule: .typeName, path: file.path, line: match.line, message: "\(match.text): say what the type is"
        )
    }
}

/// Finds references to the environment in which the package is developed.
func workplaceWordFindings(_ file: SourceFile) -> [Finding] {
    // The words are split, so that this file does not contain them.
    let words = ["farm" + "-", "/wo" + "rk/", "shared" + "/DESIGN"]
    return lines(of: file, containing: words).map { line, word in
        Finding(rule: .workplaceWord, path: file.path, line: line, message: "mentions \(word)")
    }
}

/// Returns the lines of the text, including comments, that contain one of the words.
private func lines(of file: SourceFile, containing words: [String]) -> [(line: Int, word: String)] {
    guard words.contains(where: file.contains) else { return [] }
    return file.lines.enumerated().flatMap { index, line in
        words.filter { line.contains($0) }.map { (index + 1, $0) }
    }
}
