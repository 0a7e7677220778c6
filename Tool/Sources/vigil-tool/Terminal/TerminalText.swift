/// Text on a terminal, where a character occupies zero, one or two cells.
enum TerminalText {
    /// Returns the text as one line. Control characters of terminals and invisible characters are escaped, as
    /// in `\n` or `\u{1b}`, except within emoji.
    ///
    /// All text from databases, queries and the command line is escaped by this function before it is printed
    /// on a terminal, including messages on standard error.
    ///
    /// - Parameter longest: The number of characters to return. Characters beyond it may be dropped.
    static func safe(_ text: String, longest: Int = .max) -> String {
        guard longest == .max else { return safe(String(text.prefix(longest + 1))) }
        // Cells may contain megabytes with few characters to escape: copy the text between them.
        if text.isPrintableASCII { return text }
        let scalars = text.unicodeScalars
        var result = ""
        var start = scalars.startIndex
        for index in scalars.indices where mayControlTerminal(scalars[index]) && !joinsEmoji(scalars, index) {
            result += text[start..<index]
            result += escape(scalars[index])
            start = scalars.index(after: index)
        }
        return start == scalars.startIndex ? text : result + text[start...]
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    /// Returns whether the character may control a terminal instead of being shown, or is invisible: control
    /// characters, line separators, characters that change the direction of the text, and characters without
    /// a width, such as tags, which can hide text.
    static func mayControlTerminal(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
        // Looking up the category takes time: most characters are outside of these ranges.
        switch scalar.value {
        case 0xA0..<0xAD, 0xAE..<0x300, 0x370..<0x600, 0x3041..<0x3164, 0x3165..<0xFE00: return false
        // They annotate text between them.
        case 0xFFF9...0xFFFB: return true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Returns whether an invisible character joins two emoji, or selects the form of the one before it.
    private static func joinsEmoji(_ scalars: String.UnicodeScalarView, _ index: String.Index) -> Bool {
        func isEmoji(_ scalar: Unicode.Scalar) -> Bool { !scalar.isASCII && scalar.properties.isEmoji }
        guard index > scalars.startIndex else { return false }
        let before = scalars.index(before: index)
        let after = scalars.index(after: index)
        let next = after < scalars.endIndex ? scalars[after] : nil
        let (joiner, enclosingKey, emojiForm, textForm):
            (Unicode.Scalar, Unicode.Scalar, Unicode.Scalar, Unicode.Scalar)
        (joiner, enclosingKey, emojiForm, textForm) = ("\u{200d}", "\u{20e3}", "\u{fe0f}", "\u{fe0e}")
        switch scalars[index] {
        case emojiForm, textForm: return isEmoji(scalars[before]) || next == enclosingKey
        case joiner:
            guard let next, isEmoji(next) else { return false }
            if isEmoji(scalars[before]) { return true }
            return scalars[before] == emojiForm && joinsEmoji(scalars, before)
        default: return false
        }
    }

    /// Returns the width of the text in cells.
    static func width(_ text: String) -> Int {
        if text.isPrintableASCII { return text.utf8.count }
        // Splitting text into characters takes time.
        var width = 0
        for scalar in text.unicodeScalars {
            guard let scalarWidth = widthOfCharacter(scalar) else {
                return text.reduce(0) { $0 + self.width($1) }
            }
            width += scalarWidth
        }
        return width
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

    /// Returns the number of cells of a scalar that is a character of its own, unless other scalars than such
    /// ones follow it. Returns `nil` for all others.
    private static func widthOfCharacter(_ scalar: Unicode.Scalar) -> Int? {
        switch scalar.value {
        // ASCII, Latin, Greek, Cyrillic, and dashes and quotes.
        case 0x20..<0x7F, 0xA0..<0xAD, 0xAE..<0x300, 0x370..<0x483, 0x48A..<0x530, 0x2010..<0x2028,
            0x2030..<0x203C:
            1
        // Kana without the combining marks, Han, and Hangul syllables.
        case 0x3041..<0x3099, 0x309B..<0xA4D0, 0xAC00..<0xD7A4: 2
        default: nil
        }
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

    /// Returns whether the character is an East Asian one of two cells
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

extension String {
    /// Whether the text consists of ASCII characters of one cell each.
    fileprivate var isPrintableASCII: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            // Without branches, so that the compiler can check many bytes at a time.
            bytes.reduce(true) { $0 && $1 >= 0x20 && $1 < 0x7f }
        } ?? utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
    }
}
