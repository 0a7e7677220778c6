import Foundation

/// Finds declarations with three or more unlabelled parameters, if they are too many.
func unlabelledParameterFindings(in files: [SourceFile], limit: Double) -> [Finding] {
    var count = 0
    var findings: [Finding] = []
    for file in files where file.isSource {
        for declaration in parameterLists(in: file) {
            count += 1
            guard declaration.unlabelledCount >= 3 else { continue }
            findings.append(
                Finding(
                    rule: .parameterLabels, path: file.path, line: declaration.line,
                    message: "\(declaration.name) has \(declaration.unlabelledCount) unlabelled parameters"))
        }
    }
    return Double(findings.count) * 1000 <= limit * Double(count) ? [] : findings
}

/// The parameters of a function, initializer or subscript.
struct ParameterList: Equatable {
    let name: String
    let line: Int
    let unlabelledCount: Int
}

func parameterLists(in file: SourceFile) -> [ParameterList] {
    let pattern = #"(?<![.`\w])(func\s+[^\s(<]+|init[?!]?|subscript)\s*(?:<[^(]*>)?\("#
    return file.ranges(of: pattern).map { whole, head in
        let words = String(decoding: file.code[head], as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let parameters = parameters(file.code[whole.upperBound...])
        // The parameters of a subscript have no labels unless they have two names.
        let isSubscript = words[0] == "subscript"
        let unlabelled = parameters.filter { parameter in
            let names = parameter.prefix { $0 != ":" }.split(whereSeparator: \.isWhitespace)
            return names.first == "_" || (isSubscript && names.count == 1)
        }
        return ParameterList(
            name: words.last.map(String.init) ?? "", line: file.line(at: whole.lowerBound),
            unlabelledCount: unlabelled.count)
    }
}

/// Splits the code after an opening parenthesis at the commas outside of nested brackets.
private func parameters(_ code: ArraySlice<UInt8>) -> [String] {
    var depth = 1
    var parameters = [[UInt8]()]
    var previous: UInt8 = 0
    scan: for byte in code {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: ">") where previous != UInt8(ascii: "-"): depth -= 1
        default: break
        }
        if depth == 0 { break scan }
        if depth == 1, byte == UInt8(ascii: ",") {
            parameters.append([])
        } else {
            parameters[parameters.count - 1].append(byte)
        }
        previous = byte
    }
    return parameters.map {
        String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Finds types with too many stored variables. Constants and computed properties do not count.
func storedVariableFindings(_ file: SourceFile) -> [Finding] {
    guard file.isSource else { return [] }
    let pattern = #"(?<![.`\w])(?:class|struct|actor)\s+(?!func\b|var\b)(\w+)[^{};]*\{"#
    return file.ranges(of: pattern).compactMap { whole, name in
        let count = storedVariableCount(file.code[whole.upperBound...])
        guard count > Limit.storedVariables else { return nil }
        let name = String(decoding: file.code[name], as: UTF8.self)
        return Finding(
            rule: .storedVariables, path: file.path, line: file.line(at: whole.lowerBound),
            message: "\(name) has \(count) stored variables, more than \(Limit.storedVariables)")
    }
}

/// Counts the variables in the body of a type. The code begins after the brace.
private func storedVariableCount(_ code: ArraySlice<UInt8>) -> Int {
    var depth = 1
    var line: [UInt8] = []
    var count = 0
    for byte in code {
        if byte == UInt8(ascii: "}") { depth -= 1 }
        if depth == 0 { break }
        if depth == 1 || byte == UInt8(ascii: "\n") { line.append(byte) }
        if byte == UInt8(ascii: "{") { depth += 1 }
        if byte == UInt8(ascii: "\n") {
            // Most lines declare none.
            if line.contains(UInt8(ascii: "v")), isStoredVariable(String(decoding: line, as: UTF8.self)) {
                count += 1
            }
            line = []
        }
    }
    return count
}

private func isStoredVariable(_ line: String) -> Bool {
    guard let word = line.range(of: #"(?<![\w.])var\s"#, options: .regularExpression),
        line.range(of: #"\b(?:static|class)\s"#, options: .regularExpression) == nil
    else { return false }
    let declaration = line[word.upperBound...]
    guard let brace = declaration.firstIndex(of: "{") else { return true }
    return declaration[..<brace].contains("=")
}

/// Finds short files, if they are too many, and folders with a single file.
func folderFindings(in files: [SourceFile]) -> [Finding] {
    let sources = files.filter(\.isSource)
    let short = sources.filter { $0.lineCount < Limit.linesOfAShortFile }
    var findings: [Finding] = []
    if short.count > Limit.shortFiles {
        findings += short.map {
            Finding(
                rule: .folder, path: $0.path, message: "one of \(short.count) short files: join it to another"
            )
        }
    }
    let folders = Dictionary(grouping: sources) {
        $0.path.split(separator: "/").dropLast().joined(separator: "/")
    }
    for files in folders.values where files.count == 1 {
        findings.append(Finding(rule: .folder, path: files[0].path, message: "the only file of its folder"))
    }
    return findings
}

/// Finds pages with too many lines.
func pageLengthFindings(_ file: SourceFile) -> [Finding] {
    guard let limit = Limit.linesOfPages[file.path], file.lineCount > limit else { return [] }
    return [
        Finding(
            rule: .fileLength, path: file.path, line: limit + 1,
            message: "the page has \(file.lineCount) lines, more than \(limit)")
    ]
}

/// Counts the public protocols of the storage layer, which the author of a backend must read.
func backendProtocolFindings(in files: [SourceFile]) -> [Finding] {
    let protocols = files.filter { $0.path.hasPrefix("Sources/VigilStorage/") }
        .flatMap { $0.matches(#"\bpublic protocol (\w+)"#).map(\.text) }
    guard protocols.count > Limit.publicBackendProtocols else { return [] }
    return [
        Finding(
            rule: .backendAPI, path: "Sources/VigilStorage",
            message: "\(protocols.count) public protocols, more than \(Limit.publicBackendProtocols)")
    ]
}

extension SourceFile {
    /// Returns the matches of a regular expression in the code, each with its first group.
    func ranges(of pattern: String) -> [(whole: Range<Int>, group: Range<Int>)] {
        let string = String(decoding: code, as: UTF8.self)
        let all = NSRange(location: 0, length: code.count)
        return Self.expression(pattern).matches(in: string, range: all).compactMap {
            guard let whole = Range($0.range), let group = Range($0.range(at: 1)) else { return nil }
            return (whole, group)
        }
    }
}
