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
    FunctionFinder(file: file).functions()
}

/// Finds bodies by their braces. Requires code without comments and strings.
private struct FunctionFinder {
    private let file: SourceFile
    private let code: [UInt8]
    /// Whether a byte belongs to words, by its value.
    private let isWordByte: [Bool]

    init(file: SourceFile) {
        self.file = file
        code = file.code
        isWordByte = Self.wordBytes
    }

    private static let wordBytes: [Bool] = {
        var table = [Bool](repeating: false, count: 256)
        for byte in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8 {
            table[Int(byte)] = true
        }
        return table
    }()

    /// Words that begin the next declaration. A declaration that is followed by one of them has no body.
    private static let nextDeclaration: Set<String> = [
        "associatedtype", "case", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
        "init", "internal", "let", "mutating", "override", "package", "private", "protocol", "public",
        "static", "struct", "subscript", "typealias", "var",
    ]

    func functions() -> [FunctionExtent] {
        let declarations = file.ranges(of: #"(?<![\w.`])(func|deinit|init|subscript|var)(?!\w)"#)
        return declarations.compactMap { _, range in
            let word = word(at: range.lowerBound)
            guard let body = body(ofDeclarationBy: word, at: range.lowerBound) else { return nil }
            let name = ["func", "var"].contains(word) ? self.word(after: range.upperBound) : word
            return FunctionExtent(
                name: name.isEmpty ? word : name, firstLine: file.line(at: range.lowerBound),
                lastLine: file.line(at: body.upperBound))
        }
    }

    /// Returns the range of the body with its braces, if a declaration with a body begins here.
    private func body(ofDeclarationBy word: String, at place: Int) -> Range<Int>? {
        let end = place + word.utf8.count
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
        let (opening, closing) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
        var place = open
        var nextOpening = open
        var depth = 0
        // The next brace of each kind is searched only after the last one that was found.
        while let close = code[place...].place(of: closing) {
            while nextOpening < close {
                depth += 1
                nextOpening = code[(nextOpening + 1)...].place(of: opening) ?? code.count
            }
            depth -= 1
            if depth == 0 { return close }
            place = close + 1
        }
        return code.count - 1
    }

    private func firstByteOfLine(after newline: Int) -> UInt8? {
        code[(newline + 1)...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    }

    /// Returns the word that begins here; an empty string if none does.
    private func word(at place: Int) -> String {
        guard isWordByte[Int(code[place])], place == 0 || !isWordByte[Int(code[place - 1])] else { return "" }
        var end = place + 1
        while end < code.count, isWordByte[Int(code[end])] { end += 1 }
        return String(decoding: code[place..<end], as: UTF8.self)
    }

    private func word(after place: Int) -> String {
        let rest = code[place...].drop { $0 == UInt8(ascii: " ") }
        return rest.isEmpty ? "" : word(at: rest.startIndex)
    }
}
