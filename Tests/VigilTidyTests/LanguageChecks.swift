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

/// The phrases, as alternatives of a regular expression that begin with words.
private let phrases = [
    #"tells?\b|told\b|telling\b"#,
    #"(?:some|no|any)body\b|who(?:ever|m)\b"#,
    #"is no (?<!\bthere is no )(?!longer)[a-z]"#,
    #"(?:anew|seldom|mostly|good-bye|newcomers?)\b"#,
    #"(?:all the same|by no means|by itself|for good)\b"#,
    #"(?-i:The same, )"#,
    #"(?:go|goes|gone|went) on\b"#,
    #"of the own\b|if there (?:is|are) (?:one|none)\b|those of\b"#,
]
/// Sentences that begin with a relative clause.
private let relativeSentence = #"(?-i:^[ \t]*(?:What|Who|Whoever|Those)[ \t])"#

private let expression = regularExpression(
    #"\b(?:\#(phrases.joined(separator: "|")))|\#(relativeSentence)"#, [.caseInsensitive, .anchorsMatchLines])
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
        let lines = file.lines.enumerated().map { ProseText(line: $0 + 1, text: String($1)) }
        return wordings(in: lines, file.isSource ? .articles : .documents, file)
    }
    guard file.isSwift else { return [] }
    let comments: ProseKind =
        file.isSource ? .sourceComments : file.isTest ? .testComments : .otherComments
    let lines = file.proseLines
    var found = wordings(in: lines.compactMap(\.comment), comments, file)
    if file.isSource {
        let messages = lines.flatMap(\.literals).filter { $0.text.utf8.contains(UInt8(ascii: " ")) }
        found += wordings(in: messages, .messages, file)
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
        let comments = file.proseLines.compactMap(\.comment?.text).joined(separator: "\n")
        words += matchCount(word, comments)
        clauses[file.path] = matchCount(relativePronoun, comments)
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

/// Returns the phrases in some texts, which are searched as one, because each search takes time.
private func wordings(in texts: [ProseText], _ kind: ProseKind, _ file: SourceFile) -> [Wording] {
    let joined = texts.map(\.text).joined(separator: "\n")
    var place = 0
    var end = texts.first?.text.utf16.count ?? 0
    return ranges(expression, joined).map { range in
        let offset = joined.utf16.distance(from: joined.startIndex, to: range.lowerBound)
        while offset > end {
            place += 1
            end += 1 + texts[place].text.utf16.count
        }
        let phrase = joined[range].trimmingCharacters(in: .whitespaces)
        return Wording(kind: kind, path: file.path, line: texts[place].line, phrase: phrase)
    }
}

private func ranges(_ expression: NSRegularExpression, _ text: String) -> [Range<String.Index>] {
    let all = NSRange(text.startIndex..., in: text)
    return expression.matches(in: text, range: all).compactMap { Range($0.range, in: text) }
}

private func matches(_ expression: NSRegularExpression, _ text: String) -> [String] {
    ranges(expression, text).map { String(text[$0]) }
}

private func matchCount(_ expression: NSRegularExpression, _ text: String) -> Int {
    expression.numberOfMatches(in: text, range: NSRange(location: 0, length: text.utf16.count))
}

/// A part of a line.
private struct ProseText {
    /// The number of the line, counted from 1.
    let line: Int
    let text: String
}

/// A line of Swift, split into parts that people read.
private struct ProseLine {
    var comment: ProseText?
    /// The contents of the string literals.
    var literals: [ProseText] = []

    /// - Parameters:
    ///   - line: the number of the line, counted from 1.
    ///   - text: the bytes of the line.
    ///   - code: the same bytes, with comments and the contents of string literals replaced by spaces.
    init(line: Int, _ text: ArraySlice<UInt8>, _ code: ArraySlice<UInt8>) {
        let quote = UInt8(ascii: "\"")
        var place = text.startIndex
        // Code and string literals alternate.
        while true {
            let opening = code[place...].place(of: quote) ?? text.endIndex
            comment = Self.comment(in: text[place..<opening], code).map { ProseText(line: line, text: $0) }
            guard comment == nil, opening < text.endIndex else { return }
            guard let closing = code[(opening + 1)...].place(of: quote) else { return }
            let literal = String(decoding: text[opening + 1..<closing], as: UTF8.self)
            literals.append(ProseText(line: line, text: literal))
            place = closing + 1
        }
    }

    private static func comment(in text: ArraySlice<UInt8>, _ code: ArraySlice<UInt8>) -> String? {
        let slash = UInt8(ascii: "/")
        var rest = text
        while let start = rest.place(of: slash), start + 1 < text.endIndex {
            if text[start + 1] == slash, code[start] == UInt8(ascii: " ") {
                let comment = text[start...].drop { $0 == slash || $0 == UInt8(ascii: "!") }
                return String(decoding: comment, as: UTF8.self)
            }
            rest = text[(start + 1)...]
        }
        return nil
    }
}

extension SourceFile {
    fileprivate var proseLines: [ProseLine] {
        let text = Array(text.utf8)
        return code.lineRanges.enumerated().map { ProseLine(line: $0 + 1, text[$1], code[$1]) }
    }
}
