import VigilStorage

struct SortOrder {
    struct Term {
        var term: ListPlan.SortTerm
        /// The column to sort by.
        var column: ColumnReference.Meaning
        var sql: String
        /// The term, for display.
        var text: String
    }

    private let order: ArraySlice<SQLToken>
    private let columns: [ResultColumn]
    private let occurrences: [TableOccurrence]
    /// The names of the result columns, with `*` expanded.
    private let columnNames: [String]
    private let equalities: ConvertedEqualities
    private let connection: SQLiteConnection

    init(
        _ order: ArraySlice<SQLToken>, of columns: [ResultColumn], in occurrences: [TableOccurrence],
        outline: SelectOutline, columnNames: [String], connection: SQLiteConnection
    ) {
        self.order = order
        self.columns = columns
        self.occurrences = occurrences
        self.columnNames = columnNames
        equalities = ConvertedEqualities(in: outline, columns: columns, occurrences: occurrences)
        self.connection = connection
    }

    func terms() throws(Refusal) -> [Term] {
        guard let parts = order.outerParts else { throw Refusal("ORDER BY was not understood") }
        var terms: [Term] = []
        for part in parts { terms.append(try term(part)) }
        return terms
    }

    private func term(_ tokens: ArraySlice<SQLToken>) throws(Refusal) -> Term {
        let direction = SortDirection(tokens)
        var rest = direction.expression
        var collation: String?
        if rest.count >= 3, rest[rest.endIndex - 2].isWord("COLLATE"), let name = rest.last {
            collation = name.content
            rest = rest.dropLast(2)
        }
        let reference = try reference(rest.withoutParentheses)
        guard let meaning = reference.meaning(in: occurrences) else {
            throw Refusal("ORDER BY has a name that was not understood: \(reference.text)")
        }
        guard !equalities.contains(meaning) else {
            throw Refusal("it sorts by \(reference.text), whose values may be compared as numbers")
        }
        let (sql, natural) = try value(meaning, collation: collation)
        return Term(
            term: direction.term(try self.collation(collation) ?? natural), column: meaning, sql: sql,
            text: "\(reference.text) \(direction.isDescending ? "descending" : "ascending")")
    }

    // MARK: - Names

    /// Returns the column that a term refers to.
    private func reference(_ tokens: ArraySlice<SQLToken>) throws(Refusal) -> ColumnReference {
        if tokens.count == 1, let number = tokens.first, number.kind == .number {
            return try resultColumn(number)
        }
        guard let reference = ColumnReference(tokens), reference.length == tokens.count else {
            throw Refusal("it sorts by an expression")
        }
        guard reference.parts.count == 1, let name = reference.parts.first?.content else { return reference }
        return try aliasedColumn(name) ?? reference
    }

    /// Returns the column with an alias; `nil` if no result column has it. An alias precedes columns.
    private func aliasedColumn(_ name: String) throws(Refusal) -> ColumnReference? {
        let found = columns.filter { $0.possibleAlias?.isSameName(as: name) == true }
        guard let first = found.first else { return nil }
        // The library sorts by the first result column with this name, which may be one of the columns that
        // `*` stands for.
        let followsStar = columns.contains { $0.isStar && $0.tokens.startIndex < first.tokens.startIndex }
        if followsStar, columnNames.count(where: { $0.isSameName(as: name) }) > 1 {
            throw Refusal("it sorts by \(name), which is the name of several columns")
        }
        guard found.count == 1, let reference = first.reference else {
            throw Refusal("it sorts by \(name), which is an expression")
        }
        return reference
    }

    /// Returns the result column with a number.
    private func resultColumn(_ token: SQLToken) throws(Refusal) -> ColumnReference {
        guard let number = Int(token.text), columns.indices.contains(number - 1) else {
            throw Refusal("it sorts by the result column \(token.text), which was not understood")
        }
        let followsStar = columns[..<number].contains(where: \.isStar)
        guard !followsStar, let reference = columns[number - 1].reference else {
            throw Refusal("it sorts by the result column \(number), which is an expression")
        }
        return reference
    }

    // MARK: - Collations

    /// Returns the value of a column in SQL, and its collation.
    private func value(
        _ meaning: ColumnReference.Meaning, collation written: String?
    ) throws(Refusal) -> (sql: String, collation: ListPlan.SortTerm.Collation) {
        switch meaning {
        case .rowID(let index):
            guard let sql = occurrences[index].rowIDText else { throw Refusal("a column hides the row ids") }
            return (sql, .binary)
        case .column(let index, let column):
            let occurrence = occurrences[index]
            let sql = "\(occurrence.effectiveName.quotedSQLName).\(column.name.quotedSQLName)"
            if written != nil { return (sql, .binary) }
            switch connection.collation(of: column.name, in: occurrence.table) {
            case .binary: return (sql, .binary)
            case .nocase: return (sql, .nocase)
            case .rtrim, nil: throw Refusal("it sorts by the collation of \(column.name)")
            }
        }
    }

    /// Returns the collation after COLLATE.
    private func collation(_ name: String?) throws(Refusal) -> ListPlan.SortTerm.Collation? {
        guard let name else { return nil }
        let folded = name.foldedName
        guard connection.storesUTF8, connection.isOfLibrary(collation: folded),
            ["binary", "nocase"].contains(folded)
        else { throw Refusal("it sorts by the collation \(name)") }
        return folded == "binary" ? .binary : .nocase
    }
}

extension ColumnReference {
    /// The name as it is written.
    fileprivate var text: String { parts.map(\.text).joined(separator: ".") }
}
