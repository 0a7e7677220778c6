private let uncheckedPattern = #"@unchecked\s+Sendable\b|\bnonisolated\(unsafe\)"#

/// Whoever switches the compiler's check off says what takes its place: a comment on the line above, or the
/// end of a comment there, that names the guard. `// Guarded by mutex.` or `// Immutable after init.`
func unnamedGuardFindings(_ file: SourceFile) -> [Finding] {
    guard file.isSource else { return [] }
    let lines = file.lines
    return file.matches(uncheckedPattern).compactMap { match in
        let comment = commentAbove(line: match.line, in: lines).lowercased()
        if ["guard", "immutable"].contains(where: comment.contains) { return nil }
        return Finding(
            rule: .uncheckedSendable, path: file.path, line: match.line,
            message: "\(match.text) without a comment above it that says what guards it "
                + "(\"Guarded by …\" or \"Immutable …\")")
    }
}

/// The comment that ends above a line. Attributes may stand between.
private func commentAbove(line: Int, in lines: [Substring]) -> String {
    let above = lines[..<(line - 1)].reversed()
        .map { $0.drop(while: \.isWhitespace) }
        .drop { $0.hasPrefix("@") && !$0.contains("{") }
        .prefix { $0.hasPrefix("//") }
    return above.reversed().joined(separator: " ")
}

/// The ratchet: more of them is a decision to write down, and so is fewer.
func uncheckedCountFindings(in files: [SourceFile], expected: [String: Int]) -> [Finding] {
    var counts: [String: Int] = [:]
    for file in files where file.isSource {
        let count = file.matches(uncheckedPattern).count
        if count > 0, let module = file.module { counts[module, default: 0] += count }
    }
    return Set(counts.keys).union(expected.keys).sorted().compactMap { module in
        let count = counts[module] ?? 0
        let limit = expected[module] ?? 0
        guard count != limit else { return nil }
        let reason = count > limit ? "check them without" : "good: lower the number"
        return Finding(
            rule: .uncheckedSendable, path: "Sources/\(module)",
            message: "\(count) @unchecked Sendable or nonisolated(unsafe), but \(limit) in "
                + "Exceptions.swift: \(reason)")
    }
}
