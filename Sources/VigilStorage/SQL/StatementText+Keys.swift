extension String {
    /// The text in place of a key removed from SQL.
    package static let removedKey = "…"

    /// SQL without the keys of encrypted databases: those after `PRAGMA key`, `PRAGMA rekey` and their
    /// variants, and those after `ATTACH … KEY`. The license of `PRAGMA cipher_license` is removed like a
    /// key. Other SQL is unchanged.
    package var withoutKeys: String {
        guard mayContainKeys else { return self }
        return removingKeys().text
    }

    /// Returns a message about SQL, without the keys in it.
    package func withoutKeys(of sql: String) -> String {
        guard sql.mayContainKeys else { return self }
        return sql.removingKeys().keys.reduce(self) { message, key in
            message.replacing(bytes: key, with: Self.removedKey)
        }
    }

    /// A message that may quote SQL at any place, such as one of a library's log, without the keys of that
    /// SQL: nothing is left after the word that precedes the key.
    package var withoutQuotedKeys: String {
        guard mayContainKeys else { return self }
        let bytes = Array(utf8)
        var position = 0
        var isAfterCommand = false
        while position < bytes.count {
            guard bytes[position].isASCIINamePart else {
                position += 1
                continue
            }
            let start = position
            while position < bytes.count, bytes[position].isASCIINamePart { position += 1 }
            let word = String(decoding: bytes[start..<position], as: UTF8.self).asciiUppercased
            if KeyWords.commands.contains(word) { isAfterCommand = true }
            if isAfterCommand, KeyWords.pragmas.contains(word) {
                return String(decoding: bytes[..<position], as: UTF8.self) + " " + Self.removedKey
            }
        }
        return self
    }

    /// Whether the SQL contains a key, or a parameter for one, or did before ``withoutKeys`` removed it.
    package var namesKeys: Bool { mayContainKeys && !removingKeys().keys.isEmpty }

    /// Whether the text contains "key", or "cip" as in "cipher_license", in any case. Few statements do.
    private var mayContainKeys: Bool {
        var last: (UInt8, UInt8) = (0, 0)
        for byte in utf8 {
            let letter = byte | 0x20
            if letter == UInt8(ascii: "y"), last == (UInt8(ascii: "k"), UInt8(ascii: "e")) { return true }
            if letter == UInt8(ascii: "p"), last == (UInt8(ascii: "c"), UInt8(ascii: "i")) { return true }
            last = (last.1, letter)
        }
        return false
    }

    /// The SQL without keys, and the removed texts: the longest first, also without their quotes.
    private func removingKeys() -> (text: String, keys: [[UInt8]]) {
        var scanner = SQLScanner(self)
        var phase = KeyPhase.start
        var removed: [Range<Int>] = []
        var keys: Set<[UInt8]> = []
        while let token = scanner.next() {
            guard token.kind != .byteOrderMark else { continue }
            guard phase.accept(token.text.asciiUppercased, isWord: token.kind == .word) else { continue }
            keys.formUnion(token.keyTexts)
            if let last = removed.last, phase.continuesKey {
                removed[removed.count - 1] = last.lowerBound..<token.range.upperBound
            } else {
                removed.append(token.range)
            }
            phase.continuesKey = true
        }
        guard !removed.isEmpty else { return (self, []) }
        let bytes = Array(utf8)
        var text: [UInt8] = []
        var position = 0
        for range in removed {
            text += bytes[position..<range.lowerBound]
            if text.last?.isASCIINamePart == true { text.append(UInt8(ascii: " ")) }
            text += Array(Self.removedKey.utf8)
            position = range.upperBound
        }
        text += bytes[position...]
        return (String(decoding: text, as: UTF8.self), keys.sorted { $0.count > $1.count })
    }

    /// Returns the text with each occurrence of some bytes replaced. Unlike Swift's `replacing(_:with:)`, it
    /// finds them next to combining marks too.
    package func replacing(bytes pattern: [UInt8], with replacement: String) -> String {
        let bytes = Array(utf8)
        guard bytes.count >= pattern.count else { return self }
        var result: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position...].starts(with: pattern) {
                result += Array(replacement.utf8)
                position += pattern.count
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension SQLToken {
    /// The token of a key, and its content if it is quoted: messages may contain either.
    fileprivate var keyTexts: Set<[UInt8]> {
        switch kind {
        // Without symbols such as parentheses, a message would be unreadable.
        case .symbol, .byteOrderMark: return []
        case .illegal where text.utf8.count == 1: return []
        // Such as a quoted text without its end.
        case .illegal:
            let inner = text.utf8.drop { "xX'\"`[".utf8.contains($0) }
            return Set([Array(text.utf8), Array(inner)].filter { !$0.isEmpty })
        default: return Set([Array(text.utf8), Array(content.utf8)].filter { !$0.isEmpty })
        }
    }
}

/// The words of statements that contain keys.
private enum KeyWords {
    static let commands: Set<String> = ["PRAGMA", "ATTACH"]
    static let pragmas: Set<String> = [
        "KEY", "REKEY", "HEXKEY", "HEXREKEY", "TEXTKEY", "TEXTREKEY", "CIPHER_LICENSE",
    ]
}

/// Finds the tokens of keys in a sequence of tokens.
private struct KeyPhase {
    private enum Phase { case start, pragma, pragmaName, attach, key, other }

    static let start = KeyPhase()
    private var phase = Phase.start
    /// Whether the last token belonged to a key.
    var continuesKey = false

    /// Adds a token, and returns whether it belongs to a key.
    ///
    /// - Parameter text: in upper case.
    mutating func accept(_ text: String, isWord: Bool) -> Bool {
        if text == ";" {
            self = .start
            return false
        }
        let name = text.trimmingQuotes
        switch phase {
        case .key: return text != "="
        case .start where text == "PRAGMA": phase = .pragma
        case .start where text == "ATTACH": phase = .attach
        case .start where ["EXPLAIN", "QUERY", "PLAN"].contains(text): break
        case .pragma, .pragmaName:
            // A schema and a dot can precede the name.
            switch (phase, text) {
            case (.pragma, _) where KeyWords.pragmas.contains(name): phase = .key
            case (.pragma, _): phase = .pragmaName
            case (_, "."): phase = .pragma
            default: phase = .other
            }
        case .attach where isWord && text == "KEY": phase = .key
        case .attach: break
        default: phase = .other
        }
        return false
    }
}

extension String {
    fileprivate var trimmingQuotes: String {
        var text = self[...]
        while let first = text.first, "'\"`[".contains(first) { text.removeFirst() }
        while let last = text.last, "'\"`]".contains(last) { text.removeLast() }
        return String(text)
    }
}

extension UInt8 {
    fileprivate var isASCIINamePart: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
