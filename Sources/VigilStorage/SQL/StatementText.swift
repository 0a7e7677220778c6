extension String {
    /// SQL without white space, comments and semicolons at its beginning and its end.
    package var trimmedSQL: String {
        var scanner = SQLScanner(self)
        var range: Range<Int>?
        while let token = scanner.nextRange() {
            guard token.kind != .byteOrderMark, !scanner.isSemicolon(token.range) else { continue }
            range = (range?.lowerBound ?? token.range.lowerBound)..<token.range.upperBound
        }
        return scanner.text(range ?? 0..<0)
    }

    /// Returns the first statement at or after a UTF-8 offset, in possibly invalid SQL.
    ///
    /// It ends at a semicolon; for a trigger with a body, at the semicolon after its `END`.
    package func firstStatement(fromUTF8Offset offset: Int) -> String {
        var scanner = SQLScanner(self, fromUTF8Offset: offset)
        var range: Range<Int>?
        var header = TriggerHeader()
        var followsSemicolon = true
        var endsBody = false
        while let token = scanner.nextRange() {
            guard token.kind != .byteOrderMark else { continue }
            let isSemicolon = scanner.isSemicolon(token.range)
            if isSemicolon {
                guard range == nil || header.hasBody && !endsBody else { break }
            } else {
                range = (range?.lowerBound ?? token.range.lowerBound)..<token.range.upperBound
            }
            let word = token.kind == .word ? scanner.text(token.range).asciiUppercased : ""
            endsBody = followsSemicolon && word == "END"
            followsSemicolon = isSemicolon
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
