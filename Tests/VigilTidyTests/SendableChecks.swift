private let uncheckedPattern = #"@unchecked\s+Sendable\b|\bnonisolated\(unsafe\)"#
/// The types without the compiler's check that others use.
private let boxPattern = #"\b(?:UncheckedSendable|SendablePointer)\("#

/// Finds declarations that disable the compiler's check without a comment that names their guard.
///
/// The comment must end on the line above: `// Guarded by mutex.` or `// Immutable after init.`
func unnamedGuardFindings(_ file: SourceFile) -> [Finding] {
    guard file.isSource else { return [] }
    let lines = file.lines
    return file.matches(uncheckedPattern).compactMap { match in
        let comment = commentAbove(line: match.line, in: lines).lowercased()
        if ["guard", "immutable"].contains(where: comment.contains) { return nil }
        return Finding(
            rule: .uncheckedSendable, path: file.path, line: match.line,
            message: "\(match.text) without a comment on the line above that names its guard "
                + "(\"Guarded by …\" or \"Immutable …\")")
    }
}

/// Returns the comment that ends above a line. Attributes may separate them.
func commentAbove(line: Int, in lines: [Substring]) -> String {
    let above = lines[..<(line - 1)].reversed()
        .map { $0.drop(while: \.isWhitespace) }
        .drop { $0.hasPrefix("@") && !$0.contains("{") }
        .prefix { $0.hasPrefix("//") }
    return above.reversed().joined(separator: " ")
}

/// Compares the number of unchecked declarations in each module with the expected number.
func uncheckedCountFindings(in files: [SourceFile], expected: [String: Int]) -> [Finding] {
    countFindings(
        of: uncheckedPattern, called: "@unchecked Sendable or nonisolated(unsafe)", rule: .uncheckedSendable,
        in: files, expected: expected)
}

/// Compares the number of values in unchecked types of the package with the expected number in each module.
func uncheckedBoxFindings(in files: [SourceFile], expected: [String: Int]) -> [Finding] {
    countFindings(
        of: boxPattern, called: "uses of UncheckedSendable or SendablePointer", rule: .uncheckedSendable,
        in: files, expected: expected)
}

/// Compares the number of matches of a pattern in each module with the expected number, which may only fall.
func countFindings(
    of pattern: String, called name: String, rule: Rule, in files: [SourceFile], expected: [String: Int]
) -> [Finding] {
    var counts: [String: Int] = [:]
    for file in files where file.isSource {
        let count = file.matches(pattern).count
        if count > 0, let module = file.module { counts[module, default: 0] += count }
    }
    return Set(counts.keys).union(expected.keys).sorted().compactMap { module in
        let count = counts[module] ?? 0
        let limit = expected[module] ?? 0
        guard count != limit else { return nil }
        let reason = count > limit ? "avoid the new ones" : "lower the number"
        return Finding(
            rule: rule, path: "Sources/\(module)",
            message: "\(count) \(name), but \(limit) in Exceptions.swift: \(reason)")
    }
}
