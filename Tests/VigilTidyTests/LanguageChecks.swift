import Foundation

/// A kind of text that people read. Each has a limit of its own, ``languageLimits``.
enum ProseKind: String, CaseIterable {
    case sourceComments = "comments in Sources"
    case testComments = "comments in Tests"
    /// Benchmarks, Examples, Snippets and manifests.
    case otherComments = "comments elsewhere"
    case articles = "articles in Sources"
    case documents = "documents"
    /// String literals in Sources that contain a space.
    case messages = "messages in Sources"
    case testNames = "names of tests"
}

/// A phrase in prose that CONTRIBUTING.md rules out.
struct Wording: Hashable {
    let kind: ProseKind
    let path: String
    let line: Int
    let phrase: String
}

/// The phrases, as alternatives of a regular expression.
private let phrases = [
    #"\b(?:tells?|told|telling)\b"#,
    #"\b(?:some|no|any)body\b|\bwho(?:ever|m)\b"#,
    // Sentences that begin with a relative clause.
    #"(?-i:^\s*(?:What|Who|Whoever|Those)\s)"#,
    #"(?<!\bthere )\bis no (?!longer)[a-z]"#,
    #"\b(?:anew|seldom|mostly|good-bye|newcomers?)\b"#,
    #"\b(?:all the same|by no means|by itself|for good)\b"#,
    #"(?-i:\bThe same, )"#,
    #"\b(?:go|goes|gone|went) on\b"#,
    #"\bof the own\b|\bif there (?:is|are) (?:one|none)\b|\bthose of\b"#,
]

private let expression = regularExpression(phrases.joined(separator: "|"), .caseInsensitive)
private let relativePronoun = regularExpression(#"\b(?:that|which|whose)\b"#, .caseInsensitive)
private let word = regularExpression(#"[a-z][\w'-]*"#, .caseInsensitive)
private let testName = regularExpression(
    "Told|Tells?(?=[A-Z]|$)|Nobody|Somebody|Whoever|Whom|Who(?=[A-Z])|Anew|AllTheSame", [])

func regularExpression(
    _ pattern: String, _ options: NSRegularExpression.Options
) -> NSRegularExpression {
    guard let expression = try? NSRegularExpression(pattern: pattern, options: options) else {
        preconditionFailure("invalid regular expression: \(pattern)")
    }
    return expression
}

/// Returns the phrases in the prose of a file.
func wordings(in file: SourceFile) -> [Wording] {
    if file.path.hasSuffix(".md") {
        return file.lines.enumerated().flatMap { index, line in
            wordings(line, file.isSource ? .articles : .documents, file, index)
        }
    }
    guard file.isSwift else { return [] }
    let comments: ProseKind =
        file.isSource ? .sourceComments : file.isTest ? .testComments : .otherComments
    var found: [Wording] = []
    for (index, line) in file.proseLines.enumerated() {
        if let comment = line.comment { found += wordings(comment, comments, file, index) }
        if file.isSource {
            for text in line.literals where text.contains(" ") {
                found += wordings(text, .messages, file, index)
            }
        }
    }
    if file.isTest {
        for test in file.matches(#"\bfunc (test\w+)"#) {
            found += matches(testName, test.text).map {
                Wording(kind: .testNames, path: file.path, line: test.line, phrase: "\(test.text): \($0)")
            }
        }
    }
    return found
}

/// Compares the number of phrases of each kind with its limit.
///
/// A number below the limit is a finding as well, so that the limit is lowered, and no other phrase can be
/// added unnoticed.
func languageFindings(in files: [SourceFile], limits: [ProseKind: Int]) -> [Finding] {
    let found = Dictionary(grouping: files.flatMap(wordings), by: \.kind)
    return ProseKind.allCases.flatMap { kind -> [Finding] in
        let wordings = found[kind] ?? []
        let limit = limits[kind] ?? 0
        if wordings.count < limit {
            return [
                Finding(
                    rule: .language, path: "Tests/VigilTidyTests/Exceptions.swift",
                    message: "\(kind.rawValue): lower the limit from \(limit) to \(wordings.count)")
            ]
        }
        guard wordings.count > limit else { return [] }
        return wordings.map { wording in
            Finding(
                rule: .language, path: wording.path, line: wording.line,
                message: "\"\(wording.phrase)\" (\(kind.rawValue): \(wordings.count), limit \(limit)): "
                    + "see CONTRIBUTING.md, Language")
        }
    }
}

/// Compares the frequency of relative clauses in the comments of Sources with a limit per 1,000 words.
func relativeClauseFindings(in files: [SourceFile], limit: Double) -> [Finding] {
    var words = 0
    var clauses: [String: Int] = [:]
    for file in files where file.isSource && file.isSwift {
        for comment in file.proseLines.compactMap(\.comment) {
            words += matches(word, comment).count
            clauses[file.path, default: 0] += matches(relativePronoun, comment).count
        }
    }
    let total = clauses.values.reduce(0, +)
    guard Double(total) * 1000 > limit * Double(words) else { return [] }
    return clauses.sorted { $0.value > $1.value }.prefix(20).map { path, count in
        Finding(
            rule: .language, path: path,
            message:
                "\(count) of \(total) times \"that\", \"which\" or \"whose\" in \(words) words of comments, "
                + "more than \(limit) per 1,000")
    }
}

/// Finds comments that are too wide. Lines without spaces, such as addresses, cannot be broken.
func commentWidthFindings(_ file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    return file.lines.enumerated().compactMap { index, line in
        guard line.utf8.count > Limit.columnsOfAComment else { return nil }
        let text = line.drop(while: \.isWhitespace)
        guard text.hasPrefix("//"), line.count > Limit.columnsOfAComment,
            text.split(separator: " ").count > 2
        else { return nil }
        return Finding(
            rule: .commentWidth, path: file.path, line: index + 1,
            message: "the comment has \(line.count) columns, more than \(Limit.columnsOfAComment)")
    }
}

private func wordings(
    _ text: some StringProtocol, _ kind: ProseKind, _ file: SourceFile, _ index: Int
) -> [Wording] {
    matches(expression, String(text)).map {
        Wording(kind: kind, path: file.path, line: index + 1, phrase: $0)
    }
}

private func matches(_ expression: NSRegularExpression, _ text: String) -> [String] {
    let all = NSRange(text.startIndex..., in: text)
    return expression.matches(in: text, range: all).compactMap { match in
        Range(match.range, in: text).map { String(text[$0]).trimmingCharacters(in: .whitespaces) }
    }
}

/// A line of Swift, split into parts that people read.
private struct ProseLine {
    var comment: String?
    /// The contents of the string literals.
    var literals: [String] = []

    /// - Parameters:
    ///   - text: the bytes of the line.
    ///   - code: the same bytes, with comments and the contents of string literals replaced by spaces.
    init(_ text: ArraySlice<UInt8>, _ code: ArraySlice<UInt8>) {
        let quote = UInt8(ascii: "\"")
        // Most lines have neither.
        guard text.place(of: UInt8(ascii: "/")) != nil || code.place(of: quote) != nil else { return }
        var start = text.startIndex
        var isInside = false
        for index in text.indices {
            if code[index] == quote {
                if isInside { literals.append(String(decoding: text[start..<index], as: UTF8.self)) }
                isInside.toggle()
                start = index + 1
            } else if !isInside, text[index...].starts(with: "//".utf8), code[index] == UInt8(ascii: " ") {
                let comment = text[index...].drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "!") }
                self.comment = String(decoding: comment, as: UTF8.self)
                return
            }
        }
    }
}

extension SourceFile {
    fileprivate var proseLines: [ProseLine] {
        let text = Array(text.utf8)
        var start = 0
        return code.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            defer { start += line.count + 1 }
            return ProseLine(text[start..<start + line.count], line)
        }
    }
}
