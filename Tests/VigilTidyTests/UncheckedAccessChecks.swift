import Foundation

private let uncheckedAccessPattern = #"\bunowned\(unsafe\)|@exclusivity\(unchecked\)"#

/// Finds declarations that disable a check at run time without a comment that says why.
///
/// The comment is on the same line or ends on the line above: `// bench: NAME` names the benchmark that
/// requires it, and `// Safe: …` states what guarantees the property.
func unexplainedAccessFindings(_ file: SourceFile) -> [Finding] {
    guard file.isSource else { return [] }
    let lines = file.lines
    return file.matches(uncheckedAccessPattern).compactMap { match in
        let comments = [comment(on: lines[match.line - 1]), commentAbove(line: match.line, in: lines)]
        if comments.contains(where: isReason) { return nil }
        return Finding(
            rule: .uncheckedAccess, path: file.path, line: match.line,
            message:
                "\(match.text) without a comment that names its benchmark (\"bench: …\") or its guarantee "
                + "(\"Safe: …\")")
    }
}

/// Compares the number of these declarations in each module with the expected number.
func uncheckedAccessCountFindings(in files: [SourceFile], expected: [String: Int]) -> [Finding] {
    countFindings(
        of: uncheckedAccessPattern, called: "unowned(unsafe) or @exclusivity(unchecked)",
        rule: .uncheckedAccess, in: files, expected: expected)
}

private func comment(on line: Substring) -> String {
    line.range(of: "//").map { String(line[$0.lowerBound...]) } ?? ""
}

/// Whether a mark of a reason is followed by at least one word.
private func isReason(_ comment: String) -> Bool {
    comment.range(of: #"\b(bench|Safe): *\w"#, options: .regularExpression) != nil
}
