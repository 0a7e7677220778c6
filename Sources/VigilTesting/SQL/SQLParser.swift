import VigilStorage

/// Parses the tokens of one statement into one of the few supported forms.
struct SQLParser {
    let source: [UInt8]
    private let tokens: [SimulatedSQLToken]
    private var index = 0
    private(set) var parameters = SQLParameters()

    init(_ tokens: [SimulatedSQLToken], of source: [UInt8]) {
        self.tokens = tokens
        self.source = source
    }

    mutating func statement() throws(StorageError) -> SQLForm {
        let form = try form()
        guard index == tokens.count else { throw unexpected() }
        return form
    }

    private mutating func form() throws(StorageError) -> SQLForm {
        guard case .word(let verb)? = peek() else { throw unexpected() }
        index += 1
        switch verb.foldedName {
        case "create": return try createTable()
        case "drop": return try dropTable()
        case "insert": return .insert(try insertion())
        case "update": return .update(try update())
        case "delete": return try deletion()
        case "select": return .select(try selection())
        case "begin", "commit", "end", "rollback", "savepoint", "release":
            return .transaction(try transaction(verb.foldedName))
        default:
            index -= 1
            throw unsupported("a statement that begins with \(verb)")
        }
    }

    // MARK: Tokens

    /// Returns the token at a distance from the next one, without consuming it.
    func peek(_ distance: Int = 0) -> SimulatedSQLToken.Kind? {
        index + distance < tokens.count ? tokens[index + distance].kind : nil
    }

    /// Consumes the next token if it is the keyword, and returns whether it was.
    mutating func take(_ keyword: String) -> Bool {
        guard case .word(let word)? = peek(), word.isSameName(as: keyword) else { return false }
        index += 1
        return true
    }

    mutating func takeSymbol(_ symbol: String) -> Bool {
        guard peek() == .symbol(symbol) else { return false }
        index += 1
        return true
    }

    mutating func expect(_ keyword: String) throws(StorageError) {
        guard take(keyword) else { throw unexpected() }
    }

    mutating func expectSymbol(_ symbol: String) throws(StorageError) {
        guard takeSymbol(symbol) else { throw unexpected() }
    }

    mutating func name() throws(StorageError) -> String {
        switch peek() {
        case .word(let name)? where !Self.reservedWords.contains(name.foldedName),
            .quotedName(let name)?:
            index += 1
            return name
        default: throw unexpected()
        }
    }

    /// Parses the name of a table, with an optional prefix `main.`.
    mutating func tableName() throws(StorageError) -> String {
        let first = try name()
        guard takeSymbol(".") else { return first }
        guard first.isSameName(as: "main") else { throw unsupported("the schema \(first)") }
        return try name()
    }

    /// Parses one or more elements in parentheses, separated by commas.
    mutating func list<Element>(
        of element: (inout SQLParser) throws(StorageError) -> Element
    ) throws(StorageError) -> [Element] {
        try expectSymbol("(")
        var elements = [try element(&self)]
        while takeSymbol(",") { elements.append(try element(&self)) }
        try expectSymbol(")")
        return elements
    }

    mutating func operand() throws(StorageError) -> SQLOperand {
        let isNegative = takeSymbol("-")
        if !isNegative, takeSymbol("+") { return try operand() }
        guard let kind = peek() else { throw unexpected() }
        switch (kind, isNegative) {
        case (.integer(let magnitude), _):
            index += 1
            return .value(Self.integer(magnitude, isNegative: isNegative))
        case (.real(let real), _):
            index += 1
            return .value(.real(isNegative ? -real : real))
        case (.text(let text), false):
            index += 1
            return .value(.text(text))
        case (.blob(let bytes), false):
            index += 1
            return .value(.blob(bytes))
        case (.parameter(let spelling), false):
            index += 1
            return .parameter(try parameters.index(of: spelling, at: tokens[index - 1].range))
        case (.word, false) where take("NULL"):
            return .value(.null)
        default: throw unexpected()
        }
    }

    private static func integer(_ magnitude: UInt64, isNegative: Bool) -> StorageValue {
        if isNegative, magnitude == Int64.min.magnitude { return .integer(.min) }
        guard let integer = Int64(exactly: magnitude) else {
            return .real(isNegative ? -Double(magnitude) : Double(magnitude))
        }
        return .integer(isNegative ? -integer : integer)
    }

    /// Returns the source text from the token `first` up to, but not including, the token `end`.
    func text(from first: Int, to end: Int) -> String {
        guard first < end, end <= tokens.count else { return "" }
        return String(
            decoding: source[tokens[first].range.lowerBound..<tokens[end - 1].range.upperBound],
            as: UTF8.self)
    }

    var position: Int { index }

    var wholeText: String { text(from: 0, to: tokens.count) }

    // MARK: Errors

    func unexpected() -> StorageError {
        guard index < tokens.count else { return StorageError(.error, "incomplete input") }
        let word = text(from: index, to: index + 1)
        return StorageError(
            .error,
            "near \"\(word)\": syntax error, or a form that the simulated backend does not understand")
    }

    func unsupported(_ form: String) -> StorageError {
        StorageError(.error, "the simulated backend does not understand \(form)")
    }

    /// The keywords. They are names only in quotes.
    private static let reservedWords: Set<String> = [
        "and", "as", "by", "check", "constraint", "create", "default", "delete", "desc", "drop", "foreign",
        "from", "group", "having", "in", "insert", "into", "is", "join", "limit", "not", "null", "on", "or",
        "order", "primary", "references", "select", "set", "table", "to", "unique", "update", "using",
        "values", "where",
    ]
}
