/// Text on a terminal, where a character occupies zero, one or two cells.
enum TerminalText {
    /// Returns the text as one line, in which characters that control a terminal are escaped, as in `\n` or `\u{1b}`.
    ///
    /// All text from databases, queries and the command line is escaped by this function before it is printed on a
    /// terminal, including messages on standard error.
    ///
    /// - Parameter longest: The number of characters that the caller needs. Characters beyond that may be dropped.
    static func safe(_ text: String, longest: Int = .max) -> String {
        var result = ""
        for scalar in text.prefix(longest == Int.max ? longest : longest + 1).unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where mayControlTerminal(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns whether the character may control a terminal instead of being shown: control characters, line
    /// separators, and characters that change the direction of the text.
    static func mayControlTerminal(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isBidiControl
        }
    }

    /// Returns the number of cells that the text occupies.
    static func width(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + width($1) }
    }

    /// Returns the text, truncated with `…` if it is wider than `width` cells.
    static func cut(_ text: String, to width: Int) -> String {
        guard self.width(text) > width else { return text }
        guard width > 0 else { return "" }
        var result = ""
        var room = width - 1
        for character in text {
            room -= self.width(character)
            if room < 0 { break }
            result.append(character)
        }
        return result + "…"
    }

    private static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.isASCII && character.unicodeScalars.count == 1 { return 1 }
        if character.unicodeScalars.contains("\u{fe0f}") || first.properties.isEmojiPresentation { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(first) ? 2 : 1
        }
    }

    /// Returns whether the character is an East Asian one that occupies two cells
    /// (https://www.unicode.org/reports/tr11/).
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
