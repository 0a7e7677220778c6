import VigilStorage

/// A statement with the rows of another one, in the same order, whose ORDER BY decides about all of them.
///
/// The library leaves rows with equal sort values in the order in which it visits them. If it visits the rows
/// of one table in the order of their row ids, as its query plan shows, the row id completes the order.
struct OrderedForm {
    private let text: NumberedText
    private let outline: SelectOutline
    private let occurrence: TableOccurrence
    private let connection: SQLiteConnection

    /// Returns the text of the statement; `nil` if the order of some rows is not certain.
    static func sql(of statement: any StorageStatement, _ connection: SQLiteConnection) -> String? {
        try? OrderedForm(NumberedText(statement.sql, of: statement), connection).sql()
    }

    private init(_ text: NumberedText, _ connection: SQLiteConnection) throws {
        self.text = text
        self.connection = connection
        outline = try SelectOutline(text.tokens)
        let sources = try FromClause(outline.sources).sources
        guard !outline.hasGroups, outline.resultColumns.first?.isWord("DISTINCT") != true,
            sources.count == 1, let source = sources.first,
            let metadata = try connection.table(meantBy: source), metadata.table.kind == .table,
            metadata.table.hasRowID
        else { throw Refusal("it does not return rows of one table") }
        occurrence = TableOccurrence(source: source, metadata: metadata)
    }

    private func sql() throws -> String {
        guard let rowID = occurrence.rowIDText, try visitsRowsInOrder() else {
            throw Refusal("its rows have no certain order")
        }
        var tokens = text.tokens[...]
        if tokens.last?.isSymbol(";") == true { tokens = tokens.dropLast() }
        let end = outline.limit.map { $0.startIndex - 1 } ?? tokens.endIndex
        let order = outline.order == nil ? " ORDER BY " : ", "
        return "\(text.sql(tokens[..<end]))\(order)\(rowID) \(text.sql(tokens[end...]))"
    }

    /// Returns whether the library visits the rows of the table in the order of their row ids.
    private func visitsRowsInOrder() throws -> Bool {
        // Threads sort parts of the rows, and then merge them.
        for pragma in ["reverse_unordered_selects", "threads"] {
            guard try connection.query("PRAGMA \(pragma)").first?.first ?? .integer(0) == .integer(0) else {
                return false
            }
        }
        guard try !dependsOnArguments() else { return false }
        var visits: [Substring] = []
        for step in try connection.planSteps(of: text.sql(text.tokens[...])) {
            // A look-up of one row makes no index for a nested query, and visits its rows in another order.
            if step.detail.contains(" AUTOMATIC ") { return false }
            if step.isInNestedQuery || step.detail.isNestedQuery { continue }
            if step.detail != "USE TEMP B-TREE FOR ORDER BY" { visits.append(step.detail[...]) }
        }
        guard visits.count == 1, let visit = visits.first else { return false }
        return try isInOrder(visit)
    }

    /// Returns whether the library may choose another plan for other values of the parameters.
    private func dependsOnArguments() throws -> Bool {
        let hasIndexes = !occurrence.metadata.indexes.isEmpty
        if hasIndexes, let limit = outline.limit, text.hasParameters(limit) { return true }
        return try outline.planDependsOnArguments(of: text, in: [occurrence], connection: connection)
    }

    private func isInOrder(_ visit: Substring) throws -> Bool {
        guard let using = visit.firstRange(of: " USING ") else { return visit.hasPrefix("SCAN ") }
        let access = visit[using.upperBound...]
        guard visit.hasPrefix("SEARCH ") else { return false }
        if access.hasPrefix("INTEGER PRIMARY KEY (") { return true }
        // Entries of an index with equal values are in the order of their row ids.
        guard let name = ["INDEX ", "COVERING INDEX "].first(where: access.hasPrefix),
            let values = access.firstRange(of: " ("), outline.condition?.mayHaveAlternatives == false
        else { return false }
        let terms = access[values.upperBound...].dropLast().split(separator: " AND ")
        let index = access[access.index(access.startIndex, offsetBy: name.count)..<values.lowerBound]
        let columns = try connection.query(
            "PRAGMA \(occurrence.table.schema.quotedSQLName).index_info(\(String(index).quotedSQLName))")
        return terms.allSatisfy { $0.hasSuffix("=?") } && terms.count == columns.count
    }
}

extension String {
    /// Whether a step of a query plan runs a query of the statement's expressions.
    fileprivate var isNestedQuery: Bool {
        ["CORRELATED ", "SCALAR SUBQUERY ", "LIST SUBQUERY ", "EXECUTE "].contains(where: hasPrefix)
    }
}

extension ArraySlice<SQLToken> {
    /// Whether a condition may be met by several values of a column, such as `IN` and `OR`.
    fileprivate var mayHaveAlternatives: Bool { contains { $0.isWord(in: ["in", "or"]) } }
}
