/// Text as a terminal shows it: in cells, of which a character takes none, one or two.
enum TerminalText {
    /// Returns the text as one line without characters that a terminal obeys. They become `\n` or `\u{1b}`.
    ///
    /// Every text that comes from a database, a query or the command line goes through this function before it is
    /// shown, also on standard error.
    ///
    /// - Parameter longest: about how many characters are of interest; the rest may be missing.
    static func safe(_ text: String, longest: Int = .max) -> String {
        var result = ""
        for scalar in text.prefix(longest == Int.max ? longest : longest + 1).unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isObeyed(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a terminal may obey the character rather than show it: control characters, line separators, and characters
    /// that change the direction of the text.
    static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isBidiControl
        }
    }

    static func width(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + width($1) }
    }

    /// The text, or as much of it as fits with `…` behind.
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

    /// East Asian characters that take two cells. (https://www.unicode.org/reports/tr11/)
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
