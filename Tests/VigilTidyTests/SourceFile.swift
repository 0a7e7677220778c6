import Foundation
import Synchronization

/// The compiled regular expressions, by their patterns. Each is applied to many files.
private let expressions = Mutex<[String: NSRegularExpression]>([:])

/// A file of the package, as text and as code.
struct SourceFile {
    /// The path relative to the root of the package, such as `Sources/VigilStorage/TableName.swift`.
    let path: String
    let text: String
    /// The text with comments and the contents of string literals replaced by spaces.
    ///
    /// Each byte has the same position as in the text. Bytes that are not ASCII are replaced by underscores.
    let code: [UInt8]
    let lines: [Substring]
    let isSwift: Bool

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        isSwift = path.hasSuffix(".swift")
        var blanker = Blanker(source: Array(text.utf8))
        code = blanker.blanked()
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
        var blanker = Blanker(source: Array(text.utf8))
        _ = blanker.blanked()
        return blanker.literals
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

    private static func expression(_ pattern: String) -> NSRegularExpression {
        expressions.withLock { known in
            if let expression = known[pattern] { return expression }
            let expression = regularExpression(pattern, .anchorsMatchLines)
            known[pattern] = expression
            return expression
        }
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

/// Replaces comments and the contents of string literals by spaces.
///
/// Interpolations are code, and are kept. Regular expression literals are not supported: a quote inside of
/// one counts as the beginning of a string.
private struct Blanker {
    private let source: [UInt8]
    private var output: [UInt8]
    /// The contents of string literals. Everything else is replaced by spaces.
    private(set) var literals: [UInt8]
    private var position = 0

    init(source: [UInt8]) {
        self.source = source
        literals = source.map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
        output = source.map { $0 < 128 ? $0 : UInt8(ascii: "_") }
    }

    mutating func blanked() -> [UInt8] {
        while position < source.count {
            skipCode()
            position += 1  // an unbalanced closing parenthesis
        }
        return output
    }

    private func isNext(_ token: String, at place: Int? = nil) -> Bool {
        var place = place ?? position
        for byte in token.utf8 {
            guard place < source.count, source[place] == byte else { return false }
            place += 1
        }
        return true
    }

    /// Whether the next byte belongs to a name, a number, or the space between them, and therefore to code.
    /// Most do.
    private var isPlainCode: Bool {
        switch source[position] {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "\n"):
            true
        default: false
        }
    }

    private mutating func blank(_ count: Int) {
        for _ in 0..<count where position < source.count {
            if source[position] != UInt8(ascii: "\n") { output[position] = UInt8(ascii: " ") }
            position += 1
        }
    }

    /// Skips code up to the end, or up to the parenthesis that closes an interpolation.
    private mutating func skipCode() {
        var depth = 0
        while position < source.count {
            if isPlainCode {
                position += 1
            } else if isNext("//") {
                while position < source.count, source[position] != UInt8(ascii: "\n") { blank(1) }
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
        } while depth > 0 && position < source.count
    }

    /// Returns the number of `#` before the quote of the string literal that begins here; `nil` if none does.
    private func poundsOfString() -> Int? {
        var place = position
        while isNext("#", at: place) { place += 1 }
        return isNext("\"", at: place) ? place - position : nil
    }

    private mutating func skipString(pounds: Int) {
        let fence = String(repeating: "#", count: pounds)
        position += pounds
        let isMultiline = isNext("\"\"\"")
        let quote = isMultiline ? "\"\"\"" : "\""
        position += quote.utf8.count
        while position < source.count {
            if isNext(quote + fence) {
                position += quote.utf8.count + pounds
                return
            }
            if isNext("\\" + fence + "(") {
                position += 2 + pounds
                skipCode()
                position += 1
            } else if isNext("\\" + fence) {
                blank(2 + pounds)
            } else if !isMultiline, isNext("\n") {
                return
            } else {
                if source[position] < 128 { literals[position] = source[position] }
                blank(1)
            }
        }
    }
}
