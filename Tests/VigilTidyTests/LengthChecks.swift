func fileLengthFindings(_ file: SourceFile) -> [Finding] {
    let limit = file.isTest ? Limit.linesOfATest : Limit.linesOfASource
    guard file.lineCount > limit else { return [] }
    return [
        Finding(
            rule: .fileLength, path: file.path, line: limit + 1,
            message: "the file has \(file.lineCount) lines, more than \(limit)")
    ]
}

func functionLengthFindings(_ file: SourceFile) -> [Finding] {
    guard file.isSource else { return [] }
    return functions(in: file).filter { $0.lineCount > Limit.linesOfAFunction }.map { function in
        Finding(
            rule: .functionLength, path: file.path, line: function.firstLine,
            message: "\(function.name) has \(function.lineCount) lines, more than \(Limit.linesOfAFunction)")
    }
}

/// The lines of a function, initializer, deinitializer, subscript or computed property with a body.
struct FunctionExtent: Equatable {
    let name: String
    let firstLine: Int
    let lastLine: Int

    var lineCount: Int { lastLine - firstLine + 1 }
}

func functions(in file: SourceFile) -> [FunctionExtent] {
    FunctionFinder(code: file.code).functions()
}

/// Finds bodies by their braces. Requires code without comments and strings.
private struct FunctionFinder {
    let code: [UInt8]

    /// Words that begin the next declaration. A declaration that is followed by one of them has no body.
    private static let nextDeclaration: Set<String> = [
        "associatedtype", "case", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
        "init", "internal", "let", "mutating", "override", "package", "private", "protocol", "public",
        "static", "struct", "subscript", "typealias", "var",
    ]

    func functions() -> [FunctionExtent] {
        var found: [FunctionExtent] = []
        var line = 1
        var place = 0
        while place < code.count {
            let word = self.word(at: place)
            if let body = body(ofDeclarationBy: word, at: place) {
                let name = ["func", "var"].contains(word) ? self.word(after: place + word.utf8.count) : word
                found.append(
                    FunctionExtent(
                        name: name.isEmpty ? word : name, firstLine: line,
                        lastLine: line + newlines(in: place..<body.upperBound)))
            }
            let next = place + max(1, word.utf8.count)
            line += newlines(in: place..<next)
            place = next
        }
        return found
    }

    private func newlines(in range: Range<Int>) -> Int {
        code[range].count { $0 == UInt8(ascii: "\n") }
    }

    /// Returns the range of the body with its braces, if a declaration with a body begins here.
    private func body(ofDeclarationBy word: String, at place: Int) -> Range<Int>? {
        let end = place + word.utf8.count
        if place > 0, [UInt8(ascii: "."), UInt8(ascii: "`")].contains(code[place - 1]) { return nil }
        switch word {
        case "func", "deinit": return body(from: end, onOneLine: false)
        case "init", "subscript":
            guard end < code.count, "(<?!".utf8.contains(code[end]) else { return nil }
            return body(from: end, onOneLine: false)
        case "var": return body(from: end, onOneLine: true)
        default: return nil
        }
    }

    private func body(from start: Int, onOneLine: Bool) -> Range<Int>? {
        var depth = 0
        var place = start
        while place < code.count {
            let word = self.word(at: place)
            if depth == 0, FunctionFinder.nextDeclaration.contains(word) { return nil }
            switch code[place] {
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"):
                depth -= 1
                if depth < 0 { return nil }
            case UInt8(ascii: "{") where depth == 0: return place..<closingBrace(of: place) + 1
            case UInt8(ascii: "}") where depth == 0, UInt8(ascii: "#") where depth == 0: return nil
            case UInt8(ascii: "\n") where depth == 0 && onOneLine:
                if firstByteOfLine(after: place) != UInt8(ascii: "{") { return nil }
            default: break
            }
            place += max(1, word.utf8.count)
        }
        return nil
    }

    private func closingBrace(of open: Int) -> Int {
        var depth = 0
        for place in open..<code.count {
            if code[place] == UInt8(ascii: "{") { depth += 1 }
            if code[place] == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return place }
        }
        return code.count - 1
    }

    private func firstByteOfLine(after newline: Int) -> UInt8? {
        code[(newline + 1)...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    }

    /// Returns the word that begins here; an empty string if none does.
    private func word(at place: Int) -> String {
        guard isWordByte(code[place]), place == 0 || !isWordByte(code[place - 1]) else { return "" }
        return String(decoding: code[place...].prefix(while: isWordByte), as: UTF8.self)
    }

    private func word(after place: Int) -> String {
        let rest = code[place...].drop { $0 == UInt8(ascii: " ") }
        return String(decoding: rest.prefix(while: isWordByte), as: UTF8.self)
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
