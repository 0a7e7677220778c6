package import VigilStorage

/// One statement, as the program wrote it and as the server receives it.
///
/// `?`, `?1`, `:name`, `@name`, `$name` and `$1` become `$n`, `??` becomes `?`, and everything else stays as
/// it is.
package struct PostgresSQL: Sendable, Equatable {
    /// The text of the statement, without white space, comments and semicolons around it.
    package private(set) var text = ""
    package private(set) var serverText = ""
    /// The names of the parameters with their prefixes, by index; `nil` for one without a name.
    package private(set) var parameterNames: [String?] = []
    /// The index of each parameter of the server's text. The server requires all numbers to be used.
    package private(set) var serverParameters: [Int] = []
    /// The key words and names without quotes.
    private(set) var words: [Word] = []
    /// The offset after the statement, in UTF-8 bytes.
    package private(set) var endUTF8Offset = 0

    /// A word without quotes.
    struct Word: Sendable, Equatable {
        /// The text, in upper case.
        var text: String
        /// The kind of the token before the word; `nil` for the first one.
        var previous: PostgresToken.Kind?
    }

    /// The largest number of parameters in the protocol.
    static let maximumParameterCount = 65_535

    /// Returns the first statement at or after an offset; `nil` if no tokens but semicolons are left.
    ///
    /// - Throws: ``StorageError/Code/range`` for the index of a parameter that no statement can have.
    package static func first(in sql: String, fromUTF8Offset offset: Int) throws(StorageError) -> PostgresSQL?
    {
        var lexer = PostgresLexer(sql, fromUTF8Offset: offset)
        var statement = PostgresSQL()
        var body = RoutineBody()
        var tokens: [PostgresToken] = []
        while let token = lexer.next() {
            if token.kind == .semicolon, body.depth == 0 {
                guard !tokens.isEmpty else { continue }
                statement.endUTF8Offset = token.range.upperBound
                break
            }
            statement.endUTF8Offset = lexer.position
            let word = token.kind == .word ? lexer.text(token.range).uppercased() : nil
            if let word {
                statement.words.append(Word(text: word, previous: tokens.last?.kind))
            }
            tokens.append(token)
            body.add(token.kind, word)
        }
        guard let first = tokens.first, let last = tokens.last else { return nil }
        statement.text = lexer.text(first.range.lowerBound..<last.range.upperBound)
        try statement.replaceParameters(tokens, lexer)
        return statement
    }

    private mutating func replaceParameters(_ tokens: [PostgresToken], _ lexer: PostgresLexer)
        throws(StorageError)
    {
        var numbers: [Int: Int] = [:]
        var end = tokens.first?.range.lowerBound ?? 0
        for token in tokens {
            serverText += lexer.text(end..<token.range.lowerBound)
            end = token.range.upperBound
            let tokenText = lexer.text(token.range)
            guard let index = try parameterIndex(token.kind, tokenText) else {
                serverText += token.kind == .questionMark ? "?" : tokenText
                continue
            }
            let number = numbers[index] ?? serverParameters.count + 1
            if numbers.updateValue(number, forKey: index) == nil { serverParameters.append(index) }
            serverText += "$\(number)"
        }
    }

    /// Returns the index of a parameter, and records its name; `nil` for other tokens.
    private mutating func parameterIndex(_ kind: PostgresToken.Kind, _ text: String) throws(StorageError)
        -> Int?
    {
        let index: Int
        switch kind {
        case .nextParameter: index = parameterNames.count + 1
        case .numberedParameter(let number): index = number
        case .namedParameter:
            let known = parameterNames.firstIndex { $0?.isIdentical(to: text) == true }
            index = (known ?? parameterNames.count) + 1
        default: return nil
        }
        guard index >= 1, index <= Self.maximumParameterCount else {
            throw StorageError(
                .range, "the parameter \(text) is not between ?1 and ?\(Self.maximumParameterCount)",
                sql: self.text)
        }
        while parameterNames.count < index { parameterNames.append(nil) }
        if kind != .nextParameter, !text.hasPrefix("$") || kind == .namedParameter {
            parameterNames[index - 1] = text
        }
        return index
    }
}

/// Recognizes the parts of a statement with semicolons before its end: parentheses, and the body of a routine
/// between `BEGIN ATOMIC` and `END`.
private struct RoutineBody {
    private var startsWithCreate = false
    private var definesRoutine = false
    private var wordCount = 0
    /// Whether the previous token is the word BEGIN, which can also be a name.
    private var followsBegin = false
    private var blocks = 0
    private(set) var parentheses = 0

    var depth: Int { blocks + parentheses }

    /// - Parameter word: in upper case; `nil` for anything but a word.
    mutating func add(_ kind: PostgresToken.Kind, _ word: String?) {
        if kind == .openingParenthesis { parentheses += 1 }
        if kind == .closingParenthesis { parentheses = max(0, parentheses - 1) }
        defer { followsBegin = word == "BEGIN" }
        guard let word else { return }
        wordCount += 1
        switch word {
        case "FUNCTION", "PROCEDURE": if wordCount <= 4, startsWithCreate { definesRoutine = true }
        case "CREATE": if wordCount == 1 { startsWithCreate = true }
        case "ATOMIC": if definesRoutine, followsBegin { blocks += 1 }
        case "CASE": if blocks > 0 { blocks += 1 }
        case "END": if blocks > 0 { blocks -= 1 }
        default: break
        }
    }
}
