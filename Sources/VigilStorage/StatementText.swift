extension String {
    /// SQL without white space, comments and semicolons at its beginning and its end.
    package var trimmedSQL: String {
        var scanner = StatementScanner(self)
        var range: Range<Int>?
        while let piece = scanner.next() {
            guard piece.kind != .semicolon else { continue }
            range = (range?.lowerBound ?? piece.range.lowerBound)..<piece.range.upperBound
        }
        return scanner.text(range ?? 0..<0)
    }

    /// Returns the first statement that begins at or after a UTF-8 offset, in SQL that may not compile.
    ///
    /// It ends at a semicolon; for a trigger with a body, at the semicolon after its `END`.
    package func firstStatement(fromUTF8Offset offset: Int) -> String {
        var scanner = StatementScanner(self, fromUTF8Offset: offset)
        var range: Range<Int>?
        var header = TriggerHeader()
        var previous = StatementScanner.Kind.semicolon
        var endsBody = false
        while let piece = scanner.next() {
            if piece.kind == .semicolon {
                guard range == nil || header.hasBody && !endsBody else { break }
            } else {
                range = (range?.lowerBound ?? piece.range.lowerBound)..<piece.range.upperBound
            }
            let word = piece.kind == .word ? scanner.text(piece.range).asciiUppercased : ""
            endsBody = previous == .semicolon && word == "END"
            previous = piece.kind
            header.add(word)
        }
        return scanner.text(range ?? 0..<0)
    }

    var asciiUppercased: String {
        String(decoding: utf8.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }, as: UTF8.self)
    }
}

/// Recognizes `CREATE TRIGGER … BEGIN`, after which semicolons do not end the statement.
private struct TriggerHeader {
    private enum Phase { case start, create, trigger, body, other }

    private var phase = Phase.start

    var hasBody: Bool { phase == .body }

    /// - Parameter word: in upper case; empty for anything but a word.
    mutating func add(_ word: String) {
        switch (phase, word) {
        case (.start, "EXPLAIN"), (.start, "QUERY"), (.start, "PLAN"): break
        case (.start, "CREATE"): phase = .create
        case (.create, "TEMP"), (.create, "TEMPORARY"): break
        case (.create, "TRIGGER"): phase = .trigger
        case (.trigger, "BEGIN"): phase = .body
        case (.trigger, _), (.body, _): break
        default: phase = .other
        }
    }
}

/// Splits SQL only as finely as is needed to find where a statement begins and ends.
struct StatementScanner {
    enum Kind { case word, semicolon, other }

    private let bytes: [UInt8]
    private var position: Int

    init(_ sql: String, fromUTF8Offset offset: Int = 0) {
        bytes = Array(sql.utf8)
        position = min(max(offset, 0), bytes.count)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    mutating func next() -> (kind: Kind, range: Range<Int>)? {
        skipBlanks()
        guard position < bytes.count else { return nil }
        let start = position
        let first = bytes[position]
        position += 1
        switch first {
        case UInt8(ascii: ";"): return (.semicolon, start..<position)
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip(past: first)
        case UInt8(ascii: "["): skip(past: UInt8(ascii: "]"))
        case _ where isNamePart(first):
            while position < bytes.count, isNamePart(bytes[position]) { position += 1 }
            return (.word, start..<position)
        default: break
        }
        return (.other, start..<position)
    }

    /// Skips the rest of a quoted text. A doubled quote is read as two adjacent quoted texts, which makes no
    /// difference here.
    private mutating func skip(past quote: UInt8) {
        while position < bytes.count, bytes[position] != quote { position += 1 }
        position = min(position + 1, bytes.count)
    }

    private mutating func skipBlanks() {
        while position < bytes.count {
            switch (bytes[position], byte(1), byte(2)) {
            case (0x20, _, _), (0x09...0x0A, _, _), (0x0C...0x0D, _, _): position += 1
            // A byte order mark.
            case (0xEF, 0xBB, 0xBF): position += 3
            case (UInt8(ascii: "-"), UInt8(ascii: "-"), _):
                while position < bytes.count, bytes[position] != 0x0A { position += 1 }
            case (UInt8(ascii: "/"), UInt8(ascii: "*"), _): skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() {
        position += 2
        while position < bytes.count, !(bytes[position] == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/"))
        {
            position += 1
        }
        position = min(position + 2, bytes.count)
    }

    /// Returns a byte, counted from the current position; 0 beyond the end.
    private func byte(_ offset: Int) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
            true
        default: false
        }
    }
}
