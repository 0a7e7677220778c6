import Foundation
import Synchronization

/// The compiled regular expressions, by their patterns. Each is applied to many files.
private let expressions = Mutex<[String: NSRegularExpression]>([:])

/// A file of the package, as text and as code.
struct SourceFile {
    /// The path relative to the root of the package, such as `Sources/VigilStorage/TableName.swift`.
    let path: String
    let text: String
    /// The text of a Swift file with comments and the contents of string literals replaced by spaces; empty
    /// for other files.
    ///
    /// Each byte has the same position as in the text. Bytes that are not ASCII are replaced by underscores.
    let code: [UInt8]
    let lines: [Substring]
    let isSwift: Bool

    init(path: String, text: String) {
        self.path = path
        self.text = text
        let source = Array(text.utf8)
        lines = source.lineRanges.lines(of: text)
        isSwift = path.hasSuffix(".swift")
        code = isSwift ? Blanker.parts(of: source, isASCII: source.count == text.utf16.count).code : []
    }

    /// The number of lines. A trailing newline does not begin another line.
    var lineCount: Int { lines.count - (text.hasSuffix("\n") || text.isEmpty ? 1 : 0) }

    /// The folder under `Sources` or `Tests`; `nil` for files elsewhere.
    var module: String? {
        let parts = pathInPackage.split(separator: "/")
        guard parts.count > 2, parts[0] == "Sources" || parts[0] == "Tests" else { return nil }
        return String(parts[1])
    }

    var isSource: Bool { pathInPackage.hasPrefix("Sources/") }
    var isTest: Bool { pathInPackage.hasPrefix("Tests/") }

    /// The path in a package whose sources follow the same rules: that of the tool or of the macros, or the
    /// package itself.
    private var pathInPackage: Substring {
        let folder = ["Tool/", "Macros/"].first { path.hasPrefix($0) }
        return path.dropFirst(folder?.count ?? 0)
    }

    /// The text with everything but the contents of string literals replaced by spaces, at the same
    /// positions.
    var literals: [UInt8] {
        Blanker.parts(of: Array(text.utf8), isASCII: text.utf8.count == text.utf16.count).literals
    }

    /// Returns the lines, counted from 1, on which the code matches a regular expression, with the text of
    /// its first group, or of the whole match if it has no group.
    func matches(_ pattern: String) -> [(line: Int, text: String)] { matches(pattern, in: code) }

    /// Returns the lines on which one of the parts of the text, in which each byte has its position, matches.
    func matches(_ pattern: String, in code: [UInt8]) -> [(line: Int, text: String)] {
        let string = String(decoding: code, as: UTF8.self)
        let all = NSRange(location: 0, length: code.count)
        return Self.expression(pattern).matches(in: string, range: all).map { match in
            let range = match.numberOfRanges > 1 ? match.range(at: 1) : match.range
            let bytes = code[range.location..<range.location + range.length]
            return (line(at: match.range.location), String(decoding: bytes, as: UTF8.self))
        }
    }

    static func expression(_ pattern: String) -> NSRegularExpression {
        expressions.withLock { known in
            if let expression = known[pattern] { return expression }
            let expression = regularExpression(pattern, .anchorsMatchLines)
            known[pattern] = expression
            return expression
        }
    }

    /// Returns whether the text contains a word.
    func contains(_ word: String) -> Bool { text.withCString { strstr($0, word) != nil } }

    /// The identifiers and keywords of the code.
    var words: Set<String> {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
        var words: Set<String> = []
        (code + [0]).withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            var place = 0
            while place < code.count {
                let count = strspn(start + place, letters)
                words.insert(String(decoding: bytes[place..<place + count], as: UTF8.self))
                place += count
                place += max(1, strcspn(start + place, letters))
            }
        }
        return words
    }

    /// Returns the line of a byte, counted from 1.
    func line(at offset: Int) -> Int {
        var line = 1
        var start = 0
        while let place = code[start..<offset].place(of: UInt8(ascii: "\n")) {
            line += 1
            start = place + 1
        }
        return line
    }
}

extension ArraySlice<UInt8> {
    /// Returns the first place of a byte, faster than `firstIndex(of:)` without optimization.
    func place(of byte: UInt8) -> Int? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let place = memchr(start, Int32(byte), count) else {
                return nil
            }
            return startIndex + (UnsafeRawPointer(place) - start)
        }
    }
}

extension [UInt8] {
    /// The ranges of the lines, without their newlines. The last one is empty after a trailing newline.
    var lineRanges: [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        while let end = self[start...].place(of: UInt8(ascii: "\n")) {
            ranges.append(start..<end)
            start = end + 1
        }
        ranges.append(start..<count)
        return ranges
    }
}

extension [Range<Int>] {
    /// Returns the lines of a text, whose bytes the ranges refer to.
    fileprivate func lines(of text: String) -> [Substring] {
        var (end, index) = (0, text.startIndex)
        return map { range in
            let start = text.utf8.index(index, offsetBy: range.lowerBound - end)
            index = text.utf8.index(start, offsetBy: range.count)
            end = range.upperBound
            return text[start..<index]
        }
    }
}

/// Replaces comments and the contents of string literals by spaces.
///
/// Interpolations are code, and are kept. Regular expression literals are not supported: a quote inside of
/// one counts as the beginning of a string. The functions of C skip what needs no decision, because loops
/// over bytes are slow without optimization.
private struct Blanker {
    /// The text, and a zero after it.
    private let source: UnsafePointer<UInt8>
    private let count: Int
    private let code: UnsafeMutablePointer<UInt8>
    private let literals: UnsafeMutablePointer<UInt8>
    private var position = 0

    private static let space = UInt8(ascii: " ")
    private static let newline = UInt8(ascii: "\n")

    /// Returns the code and the contents of the string literals. Everything else is replaced by spaces.
    static func parts(of source: [UInt8], isASCII: Bool) -> (code: [UInt8], literals: [UInt8]) {
        var code = source
        if !isASCII {
            for index in source.indices where source[index] >= 128 { code[index] = UInt8(ascii: "_") }
        }
        var literals = [UInt8](repeating: space, count: source.count)
        for line in source.lineRanges.dropLast() { literals[line.upperBound] = newline }
        (source + [0]).withUnsafeBufferPointer { bytes in
            code.withUnsafeMutableBufferPointer { code in
                literals.withUnsafeMutableBufferPointer { literals in
                    guard let source = bytes.baseAddress, let code = code.baseAddress,
                        let literals = literals.baseAddress
                    else { return }
                    var blanker = Blanker(
                        source: source, count: bytes.count - 1, code: code, literals: literals)
                    blanker.run()
                }
            }
        }
        return (code, literals)
    }

    private init(
        source: UnsafePointer<UInt8>, count: Int, code: UnsafeMutablePointer<UInt8>,
        literals: UnsafeMutablePointer<UInt8>
    ) {
        (self.source, self.count, self.code, self.literals) = (source, count, code, literals)
    }

    private mutating func run() {
        while position < count {
            skipCode()
            position += 1  // an unbalanced closing parenthesis
        }
    }

    private func isNext(_ token: StaticString, at place: Int? = nil) -> Bool {
        strncmp(token.utf8Start, source + (place ?? position), token.utf8CodeUnitCount) == 0
    }

    /// Skips bytes other than the given ones.
    private mutating func skip(to bytes: StaticString) {
        position += strcspn(source + position, bytes.utf8Start)
    }

    private mutating func blank(_ number: Int) {
        for _ in 0..<number where position < count {
            if source[position] != Self.newline { code[position] = Self.space }
            position += 1
        }
    }

    /// Skips code up to the end, or up to the parenthesis that closes an interpolation.
    private mutating func skipCode() {
        var depth = 0
        skip(to: "/\"#()")
        while position < count {
            if isNext("//") {
                let start = position
                skip(to: "\n")
                memset(code + start, Int32(Self.space), position - start)
            } else if isNext("/*") {
                skipBlockComment()
            } else if let pounds = poundsOfString() {
                skipString(pounds: pounds)
            } else {
                if isNext("(") { depth += 1 }
                if isNext(")") {
                    if depth == 0 { return }
                    depth -= 1
                }
                position += 1
            }
            skip(to: "/\"#()")
        }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if isNext("/*") {
                depth += 1
                blank(2)
            } else if isNext("*/") {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && position < count
    }

    /// Returns the number of `#` before the quote of the string literal that begins here; `nil` if none does.
    private func poundsOfString() -> Int? {
        let pounds = strspn(source + position, "#")
        return isNext("\"", at: position + pounds) ? pounds : nil
    }

    private mutating func skipString(pounds: Int) {
        position += pounds
        let isMultiline = isNext("\"\"\"")
        let quoteCount = isMultiline ? 3 : 1
        position += quoteCount
        while position < count {
            let start = position
            skip(to: "\"\\\n")
            for place in start..<position where source[place] < 128 { literals[place] = source[place] }
            memset(code + start, Int32(Self.space), position - start)
            guard position < count else { return }
            if isNext(isMultiline ? "\"\"\"" : "\"") && hasFence(pounds, at: position + quoteCount) {
                position += quoteCount + pounds
                return
            }
            if isNext("\\"), hasFence(pounds, at: position + 1) {
                if isNext("(", at: position + 1 + pounds) {
                    position += 2 + pounds
                    skipCode()
                    position += 1
                } else {
                    blank(2 + pounds)
                }
            } else if !isMultiline, isNext("\n") {
                return
            } else {
                literals[position] = source[position]
                blank(1)
            }
        }
    }

    private func hasFence(_ pounds: Int, at place: Int) -> Bool {
        strspn(source + place, "#") >= pounds
    }
}
