import VigilStorage

/// The text of a statement, with the numbers of its parameters.
struct NumberedText {
    let tokens: [SQLToken]
    let parameters: ParameterNumbers
    let parameterCount: Int
    private let bytes: [UInt8]

    /// - Parameter statement: the compiled statement, whose parameters the text has.
    init(_ sql: String, of statement: any StorageStatement) throws(Refusal) {
        bytes = Array(sql.utf8)
        tokens = SQLTokens(sql).tokens
        parameterCount = statement.parameterCount
        parameters = try ParameterNumbers(tokens, of: statement)
    }

    func hasParameters(_ tokens: ArraySlice<SQLToken>) -> Bool {
        tokens.contains { parameters[$0] != nil }
    }

    /// Returns some tokens as text, with numbered parameters.
    ///
    /// - Parameter replacements: ascending ranges of tokens, and the texts that replace them.
    func sql(
        _ tokens: ArraySlice<SQLToken>, replacing replacements: [(ArraySlice<SQLToken>, String)] = []
    ) -> String {
        guard let first = tokens.first, let last = tokens.last else { return "" }
        var text: [UInt8] = []
        var start = first.range.lowerBound
        var replacements = replacements[...]
        var index = tokens.startIndex
        while index < tokens.endIndex {
            let token = tokens[index]
            if let (replaced, new) = replacements.first, replaced.startIndex == index,
                let end = replaced.last
            {
                text += bytes[start..<token.range.lowerBound]
                text += new.utf8
                start = end.range.upperBound
                index = replaced.endIndex
                replacements = replacements.dropFirst()
                continue
            }
            if let number = parameters[token] {
                text += bytes[start..<token.range.lowerBound]
                text += "?\(number)".utf8
                start = token.range.upperBound
            }
            index += 1
        }
        return String(decoding: text + bytes[start..<max(start, last.range.upperBound)], as: UTF8.self)
    }
}

/// The values, arguments and aggregates of a statement, and the expressions that contain aggregates.
struct GroupParts {
    private let text: NumberedText
    /// The values of contributions. The GROUP BY terms come first.
    private(set) var values: [(key: String, sql: String)] = []
    private(set) var arguments: [String] = []
    private(set) var aggregates: [GroupPlan.Aggregate] = []
    /// The expressions with aggregates, with parameters in their places.
    private(set) var expressions: [String] = []
    private var condition: String?

    init(text: NumberedText) { self.text = text }

    /// Returns a text that is the same for expressions that differ in white space and comments.
    func key(_ tokens: ArraySlice<SQLToken>) -> String {
        tokens.map { token in text.parameters[token].map { "?\($0)" } ?? token.text }
            .joined(separator: " ")
    }

    mutating func addGroup(_ tokens: ArraySlice<SQLToken>, expression: ArraySlice<SQLToken>) {
        values.append((key(expression), text.sql(tokens)))
    }

    /// Returns the output with a value of contributions.
    mutating func value(
        _ tokens: ArraySlice<SQLToken>, _ expression: ArraySlice<SQLToken>
    ) -> GroupPlan.Output {
        let key = key(expression)
        if let index = values.firstIndex(where: { $0.key.isIdentical(to: key) }) { return .value(index) }
        values.append((key, text.sql(tokens)))
        return .value(values.count - 1)
    }

    /// Returns the index of an aggregate.
    mutating func aggregate(_ call: AggregateCall, _ collation: ListPlan.SortTerm.Collation) -> Int {
        var function = call.function
        var argument = call.argument.map { text.sql($0) }
        if let filter = call.filter {
            argument = "CASE WHEN (\(text.sql(filter))) THEN (\(argument ?? "1")) END"
            if function == .countAll { function = .count }
        }
        let index = argument.map { argument in
            if let index = arguments.firstIndex(where: { $0.isIdentical(to: argument) }) { return index }
            arguments.append(argument)
            return arguments.count - 1
        }
        let aggregate = GroupPlan.Aggregate(function, argument: index, collation: collation)
        if let known = aggregates.firstIndex(of: aggregate) { return known }
        aggregates.append(aggregate)
        return aggregates.count - 1
    }

    /// Returns the output with an expression that contains aggregates.
    mutating func expression(
        _ tokens: ArraySlice<SQLToken>, _ calls: [AggregateCall], aggregates indices: [Int]
    ) throws(Refusal) -> GroupPlan.Output {
        expressions.append(try evaluated(tokens, calls, aggregates: indices))
        return .expression(expressions.count - 1)
    }

    private func evaluated(
        _ tokens: ArraySlice<SQLToken>, _ calls: [AggregateCall], aggregates indices: [Int]
    ) throws(Refusal) -> String {
        let replacements = zip(calls, indices).map { ($0.tokens, parameter($1)) }
        let sql = text.sql(tokens, replacing: replacements)
        // It could be a column, which is text without a table.
        let hasQuotes = SQLTokens(sql).tokens.contains { $0.kind == .quotedName }
        if hasQuotes { throw Refusal("an expression or HAVING has a name in quotes") }
        return sql
    }

    private func parameter(_ aggregate: Int) -> String { "?\(text.parameterCount + aggregate + 1)" }

    /// Sets the expression after HAVING, whose aggregates must have been added.
    mutating func setCondition(
        _ tokens: ArraySlice<SQLToken>, _ calls: [AggregateCall], aggregates indices: [Int]
    ) throws(Refusal) {
        condition = try evaluated(tokens, calls, aggregates: indices)
    }

    /// Returns the statement for the expressions of a group; `nil` without them.
    ///
    /// - Parameter aliased: the result columns, which HAVING may name.
    func evaluation(_ aliased: [(tokens: ArraySlice<SQLToken>, aggregate: Int)]) -> String? {
        guard condition != nil || !expressions.isEmpty else { return nil }
        var columns = expressions
        if condition != nil {
            for (tokens, aggregate) in aliased {
                guard let name = tokens.last else { continue }
                columns.append("\(parameter(aggregate)) AS \(name.text)")
            }
        }
        let results = columns.isEmpty ? "1" : columns.joined(separator: ", ")
        return "SELECT \(results)" + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// Returns the statement for the contributions.
    func contributions(_ outline: SelectOutline) -> String {
        let columns = values.map(\.sql) + arguments
        let results = columns.isEmpty ? "NULL" : columns.joined(separator: ", ")
        let condition = outline.condition.map { " WHERE \(text.sql($0))" } ?? ""
        return "SELECT \(results) FROM \(text.sql(outline.sources))\(condition)"
    }
}
