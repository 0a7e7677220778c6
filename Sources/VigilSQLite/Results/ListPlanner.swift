import CVigilSQLite
import VigilStorage

/// Plans how the rows of a query are kept up to date one by one.
///
/// It edits the text of the query at the boundaries of tokens, so that comments and quotes make no
/// difference. It does not parse expressions, because the library evaluates them. Queries with unknown
/// sources, orders or functions are refused.
struct ListPlanner {
    private let statement: any StorageStatement
    private let connection: SQLiteConnection
    private let access: StatementAccess
    private let columnNames: [String]
    private let bytes: [UInt8]
    private let tokens: [SQLToken]

    static func report(
        on statement: any StorageStatement, _ connection: SQLiteConnection
    ) -> ListPlanReport {
        do {
            return .plan(try ListPlanner(statement, connection).plan())
        } catch let refusal as Refusal {
            return .refused(refusal.reason)
        } catch {
            return .refused("the schema cannot be read")
        }
    }

    private init(_ statement: any StorageStatement, _ connection: SQLiteConnection) {
        self.statement = statement
        self.connection = connection
        access = statement.access
        columnNames = statement.columnNames
        bytes = Array(statement.sql.utf8)
        tokens = SQLTokens(statement.sql).tokens
    }

    private func plan() throws -> ListPlan {
        let outline = try outline()
        let from = try FromClause(outline.sources)
        let occurrences = try occurrences(from.sources)
        let columns = try outline.columns()
        let groups =
            outline.hasGroups
            ? try KeyedGroups(outline, columns, in: occurrences, connection: connection) : nil
        let (watched, links) = try tablesBesideSources(outline, occurrences, groups: groups)
        let terms =
            try outline.order.map { order throws(Refusal) in
                try SortOrder(
                    order, of: columns, in: occurrences, outline: outline, columnNames: columnNames,
                    connection: connection
                ).terms()
            } ?? []
        try checkTextBounds(outline, terms, in: occurrences)
        try checkIdentities(outline, in: occurrences)
        try checkCollations(outline, in: occurrences)
        try connection.checkSortedReals(in: outline, access.reads)
        let window = try window(outline, occurrences)
        let order = try sourceOrder(occurrences, groups, isWindow: window != nil, sortedBy: terms)
        let keys = try keyColumns(of: columns, in: occurrences, order, sortedBy: terms)
        let texts = try texts(
            of: outline, from: from, hidden: keys.added, sources: order.map { occurrences[$0] },
            rowIDsDescend: terms.last?.term.isDescending ?? false)
        if groups == nil { try checkAggregates(outline) }
        try checkFunctions { () throws in
            try check(
                texts.full, parameterCount: statement.parameterCount + (window == nil ? 0 : 1),
                hiddenCount: keys.added.count)
            for text in texts.rows {
                try check(
                    text, parameterCount: statement.parameterCount + 1, hiddenCount: keys.added.count)
            }
        }
        let watchedNames = Set(watched.map(\.table))
        return ListPlan(
            sql: texts.full,
            sources: zip(order, texts.rows).map { index, text in
                let occurrence = occurrences[index]
                return ListPlan.Source(
                    occurrence.table, isOptional: occurrence.source.isOptional,
                    rowSQL: occurrence.source.isOptional || watchedNames.contains(occurrence.table)
                        ? nil : text)
            },
            watched: watched,
            links: links.map { link in
                var link = link
                link.source = order.firstIndex(of: link.source) ?? link.source
                return link
            },
            terms: terms.map(\.term), termTexts: terms.map(\.text), window: window,
            keyColumns: keys.positions, columnCount: columnNames.count,
            parameterCount: statement.parameterCount,
            roundsLargeIntegers: connection.library.versionNumber < 3_010_000)
    }

    // MARK: - Clauses

    private func outline() throws -> SelectOutline {
        guard access.isReadOnly, access.transactionEffect == nil else { throw Refusal("it is not a query") }
        guard !access.readsUnknown else { throw Refusal("the tables that it reads are not known") }
        if tokens.first?.isWord("WITH") == true { throw Refusal("it begins with WITH") }
        guard tokens.first?.isWord("SELECT") == true else { throw Refusal("it does not begin with SELECT") }
        if tokens.contains(where: { $0.kind == .byteOrderMark }) {
            throw Refusal("it has U+FEFF between its words")
        }
        let outline = try SelectOutline(tokens)
        if outline.resultColumns.first?.isWord("DISTINCT") == true { throw Refusal("it has DISTINCT") }
        return outline
    }

    /// Returns the window of the statement; `nil` if it has no LIMIT.
    private func window(
        _ outline: SelectOutline, _ occurrences: [TableOccurrence]
    ) throws -> ListPlan.Window? {
        guard let limit = outline.limit else { return nil }
        // Some versions of the library (3.40.1) return wrong rows.
        if occurrences.count > 1, outline.order?.contains(where: { $0.isWord("NULLS") }) == true {
            throw Refusal("it is a join with LIMIT and a place of NULL")
        }
        return try WindowClause(limit, ParameterNumbers(tokens, of: statement)).window()
    }

    /// Refuses descending row ids with a condition that may compare them with text: library 3.15.2 returns no
    /// rows for `id < 'a'`, but the row for a look-up of a single one. 3.40.1 returns it in both cases.
    private func checkTextBounds(
        _ outline: SelectOutline, _ terms: [SortOrder.Term], in occurrences: [TableOccurrence]
    ) throws(Refusal) {
        guard connection.library.versionNumber < 3_040_000, let term = terms.first,
            term.term.isDescending, term.column.isRowID(in: occurrences), let condition = outline.condition,
            condition.contains(where: { $0.kind == .string || $0.kind == .blob }),
            condition.contains(where: { ["<", "<=", ">", ">="].contains($0.text) || $0.isWord("BETWEEN") })
        else { return }
        throw Refusal("this library loses rows of this order if a bound is a text")
    }

    /// Refuses `IS` in a condition after a LEFT JOIN: library 3.15.2 finds the rows on the right by it, takes
    /// the others for missing ones, and so returns rows that a look-up of a single one does not, or the
    /// reverse. 3.40.1 returns the same rows in both cases.
    private func checkIdentities(
        _ outline: SelectOutline, in occurrences: [TableOccurrence]
    ) throws(Refusal) {
        guard connection.library.versionNumber < 3_040_000,
            occurrences.contains(where: \.source.isOptional)
        else { return }
        let joined = occurrences.filter { !$0.source.isOptional }.map(\.source.condition)
        let conditions = [outline.condition] + joined
        guard conditions.contains(where: { $0?.hasIdentity == true }) else { return }
        throw Refusal("this library confuses the rows of a LEFT JOIN with IS in a condition")
    }

    /// Refuses joins with conditions on text by a collation such as RTRIM, or by one of the program: some
    /// versions of the library (3.40.1) take equal texts of different lengths for different ones if they make
    /// an index for the join, but not in a look-up of a single row.
    private func checkCollations(
        _ outline: SelectOutline, in occurrences: [TableOccurrence]
    ) throws(Refusal) {
        guard occurrences.count > 1 else { return }
        let conditions = [outline.condition] + occurrences.map(\.source.condition)
        for condition in conditions.compactMap({ $0 }) {
            for (index, token) in zip(condition.indices, condition) {
                guard token.kind == .word || token.isQuoted else { continue }
                let isCollation = condition[..<index].last?.isWord("COLLATE") == true
                let names =
                    isCollation
                    ? [token.content.foldedName]
                    : occurrences.compactMap { occurrence in
                        occurrence.column(named: token.content).flatMap {
                            connection.collationName(of: $0.name, in: occurrence.table)
                        }
                    }
                if let name = names.first(where: { !connection.keepsLength(collation: $0) }) {
                    throw Refusal("a condition of a join compares text by \(name.uppercased())")
                }
            }
        }
    }

    /// Returns the places of the sources in the order of their row ids. In a window, the table that is sorted
    /// first precedes the others, so that an index of its column still supplies the order.
    private func sourceOrder(
        _ occurrences: [TableOccurrence], _ groups: KeyedGroups?, isWindow: Bool,
        sortedBy terms: [SortOrder.Term]
    ) throws(Refusal) -> [Int] {
        if let groups {
            guard terms.allSatisfy({ $0.column.occurrence == groups.source }) else {
                throw Refusal("it sorts by a column of a table that is not grouped")
            }
            return [groups.source]
        }
        guard isWindow, let first = terms.first?.column.occurrence else { return Array(occurrences.indices) }
        return [first] + occurrences.indices.filter { $0 != first }
    }

    private func occurrences(_ sources: [FromClause.Source]) throws -> [TableOccurrence] {
        var occurrences: [TableOccurrence] = []
        for source in sources {
            guard let metadata = try connection.table(meantBy: source), metadata.table.kind == .table else {
                throw Refusal("\(source.name) is not an ordinary table")
            }
            let table = metadata.table
            guard !table.name.isOfLibrary else { throw Refusal("\(source.name) is a table of the library") }
            guard table.hasRowID else { throw Refusal("\(source.name) has no row ids") }
            if source.isOptional, source.condition?.contains(where: \.mayBePattern) == true {
                throw Refusal("the condition of a LEFT JOIN has LIKE or GLOB")
            }
            guard access.reads.contains(where: { $0.table == table.name }) else {
                throw Refusal("the database reads other tables than those after FROM")
            }
            let occurrence = TableOccurrence(source: source, metadata: metadata)
            guard !occurrences.contains(where: { $0.isNamed(occurrence.effectiveName) }) else {
                throw Refusal("two tables after FROM have the same name")
            }
            occurrences.append(occurrence)
        }
        return occurrences
    }

    /// Returns the tables read in other places than as sources whose rows are looked up: the watched ones and
    /// the links of the others, with the place of their source after FROM.
    private func tablesBesideSources(
        _ outline: SelectOutline, _ occurrences: [TableOccurrence], groups: KeyedGroups?
    ) throws -> (watched: [ListPlan.WatchedTable], links: [ListPlan.Link]) {
        let nestedNames = try nestedTableNames()
        if !nestedNames.isEmpty, try connection.hasViewOrVirtualTable(among: Set(nestedNames)) {
            throw Refusal("a query in the statement reads a view or a virtual table")
        }
        let values = try ValueLinks(outline, occurrences, in: tokens, connection: connection)
        var watched: [ListPlan.WatchedTable] = []
        // A link must lead to a source that is followed, and is not watched after all.
        while true {
            let sources = occurrences.indices.filter { index in
                groups.map { $0.source == index } ?? !occurrences[index].source.isOptional
                    && !watched.contains { $0.table == occurrences[index].table }
            }
            var links: [ListPlan.Link] = []
            let count = watched.count
            for read in access.reads where !watched.contains(where: { $0.table == read.table }) {
                let nestedCount = nestedNames.count { $0 == read.table.name.foldedName }
                let reason = reasonToWatch(read, occurrences, sources: sources, isNested: nestedCount > 0)
                guard let reason else { continue }
                if values.nestedCount(of: read.table) == nestedCount,
                    let found = values.links(from: read.table, to: sources), !found.isEmpty
                {
                    links += found.map { link in
                        var link = link
                        link.source = sources[link.source]
                        return link
                    }
                } else {
                    watched.append(.init(read.table, reason: reason))
                }
            }
            if watched.count == count { return (watched, links) }
        }
    }

    /// Returns why a table is not only read as a source whose rows are looked up; `nil` if it is.
    private func reasonToWatch(
        _ read: TableRead, _ occurrences: [TableOccurrence], sources: [Int], isNested: Bool
    ) -> String? {
        let places = occurrences.indices.filter { occurrences[$0].table == read.table }
        // Old libraries do not report these reads. They are guessed from the words of the statement.
        let isGuessed = read.columns == [] && !connection.library.reportsReadsWithoutColumn
        if isGuessed, places.isEmpty, !isNested { return nil }
        if places.contains(where: { occurrences[$0].source.isOptional }) { return "right of a LEFT JOIN" }
        if places.isEmpty || isNested { return "read by a query in the statement" }
        return places.allSatisfy(sources.contains) ? nil : "joined with the grouped table"
    }

    /// Returns the names in nested queries that may be names of tables.
    private func nestedTableNames() throws -> [String] {
        var names: [String] = []
        let schemas = try connection.schemasInSearchOrder()
        var index = tokens.startIndex
        while index < tokens.endIndex {
            guard tokens[index].isSymbol("("), let end = tokens[index...].closingIndex else {
                index += 1
                continue
            }
            if tokens[index...end].contains(where: { $0.isWord("SELECT") }) {
                names += (index...end).filter { mayNameTable(at: $0, schemas) }.map {
                    tokens[$0].content.foldedName
                }
            }
            index = end + 1
        }
        return names
    }

    /// Returns whether a token, after FROM, JOIN, a comma, a parenthesis or a schema, can name a table.
    private func mayNameTable(at index: Int, _ schemas: [String]) -> Bool {
        let token = tokens[index]
        guard index > 0, token.kind == .word || token.isQuoted else { return false }
        if index + 1 < tokens.count, tokens[index + 1].isSymbol(".") { return false }
        let previous = tokens[index - 1]
        guard previous.isSymbol("."), index > 1 else {
            return previous.isWord(in: ["from", "join"]) || previous.isSymbol(",") || previous.isSymbol("(")
        }
        return schemas.contains { $0.isSameName(as: tokens[index - 2].content) }
    }

    private func keyColumns(
        of columns: [ResultColumn], in occurrences: [TableOccurrence], _ order: [Int],
        sortedBy terms: [SortOrder.Term]
    ) throws(Refusal) -> KeyColumns {
        var keys = KeyColumns(columns, occurrences, columnNames: columnNames)
        for index in order {
            guard let name = occurrences[index].rowIDText else {
                throw Refusal("the columns of \(occurrences[index].source.name) hide its row ids")
            }
            keys.append(.rowID(occurrence: index), sql: name)
        }
        for term in terms { keys.append(term.column, sql: term.sql) }
        return keys
    }

    // MARK: - Texts

    private func text(_ tokens: ArraySlice<SQLToken>) -> String {
        guard let first = tokens.first, let last = tokens.last else { return "" }
        return String(decoding: bytes[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
    }

    private func text(_ tokens: ArraySlice<SQLToken>, without omitted: [ArraySlice<SQLToken>]) -> String {
        guard var start = tokens.first?.range.lowerBound, let end = tokens.last?.range.upperBound else {
            return ""
        }
        var text: [UInt8] = []
        for part in omitted {
            guard let first = part.first, let last = part.last else { continue }
            text += bytes[start..<first.range.lowerBound]
            start = last.range.upperBound
        }
        return String(decoding: text + bytes[start..<end], as: UTF8.self)
    }

    /// Returns the statement for all rows, or for the first rows of a window, and for each source the one for
    /// one of its rows. Parameters keep their numbers, because ours has a number of its own, and comes after
    /// all but those in HAVING.
    private func texts(
        of outline: SelectOutline, from: FromClause, hidden: [String], sources: [TableOccurrence],
        rowIDsDescend: Bool
    ) throws(Refusal) -> (full: String, rows: [String]) {
        // No name of the program's can have these aliases, so they do not change the meaning of any name.
        let columns = hidden.enumerated()
            .map { ", \($0.element) AS \"vigil.\($0.offset + 1)\"" }.joined()
        let results = text(outline.resultColumns) + columns
        let rowIDs = sources.map { $0.rowIDText ?? "" }
        let parameter = "?\(statement.parameterCount + 1)"
        var end = tokens.last.map { $0.isSymbol(";") ? tokens.dropLast() : tokens[...] } ?? []
        if let limit = outline.limit { end = end[..<(limit.startIndex - 1)] }
        var full = "SELECT \(results) FROM \(text(end[outline.sources.startIndex...]))"
        if outline.limit != nil {
            let terms = rowIDs.map { $0 + (rowIDsDescend ? " DESC" : "") }.joined(separator: ", ")
            full += "\(outline.order == nil ? " ORDER BY" : ",") \(terms) LIMIT \(parameter)"
        }
        // Hints could make the library begin its search with another table than the row's.
        let tables = text(outline.sources, without: from.hints)
        let condition = outline.condition.map { "(\(text($0))) AND " } ?? ""
        var groups = outline.groups.map { " GROUP BY \(text($0))" } ?? ""
        if let condition = outline.groupCondition { groups += try " HAVING \(numberedText(condition))" }
        let rows = rowIDs.map { rowID in
            "SELECT \(results) FROM \(tables) WHERE \(condition)\(rowID) = \(parameter)\(groups)"
        }
        return (full, rows)
    }

    private func numberedText(_ tokens: ArraySlice<SQLToken>) throws(Refusal) -> String {
        guard tokens.contains(where: { $0.kind == .parameter }) else { return text(tokens) }
        return try NumberedText(statement.sql, of: statement).sql(tokens)
    }

    // MARK: - Checks

    /// Runs `body`, which compiles statements, and throws if they call an impure function.
    private func checkFunctions(_ body: () throws -> Void) throws {
        connection.libraryFunctions.called = []
        defer { connection.libraryFunctions.called = nil }
        try body()
        for name in (connection.libraryFunctions.called ?? []).sorted() where !connection.isPure(name) {
            throw Refusal("its result may depend on more than the database, because it calls \(name)")
        }
    }

    /// Throws if a statement does not compile, or not to one with the same tables and columns.
    private func check(_ sql: String, parameterCount: Int, hiddenCount: Int) throws {
        guard let statement = try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false).statement
        else {
            throw Refusal("it cannot be completed with the row ids of its tables")
        }
        defer { statement.finalize() }
        let tables = Set(statement.access.reads.map(\.table))
        guard statement.access.isReadOnly, !statement.access.readsUnknown,
            tables == Set(access.reads.map(\.table)), statement.parameterCount == parameterCount,
            statement.columnNames.count == columnNames.count + hiddenCount,
            Array(statement.columnNames.prefix(columnNames.count)).isIdentical(to: columnNames)
        else { throw Refusal("it was not understood") }
    }

    /// Throws if the statement has an aggregate or a window function.
    private func checkAggregates(_ outline: SelectOutline) throws {
        var parts = [outline.resultColumns]
        if let order = outline.order { parts.append(order) }
        for part in parts {
            if part.contains(where: { $0.isWord("OVER") }) { throw Refusal("it has a window function") }
            try checkAggregates(part, outline.sources)
        }
    }

    private func checkAggregates(_ part: ArraySlice<SQLToken>, _ sources: ArraySlice<SQLToken>) throws {
        var index = part.startIndex
        while index < part.endIndex {
            let token = part[index]
            let next = index + 1
            if token.isSymbol("("), let end = part[index...].closingIndex, next < end,
                part[next].isWord(in: ["select", "values", "with"])
            {
                try checkAggregates(ofQuery: part[index...end], sources)
                index = end + 1
                continue
            }
            if next < part.endIndex, part[next].isSymbol("("), isAggregate(token, part[next...]) {
                throw Refusal("it has the aggregate \(token.content)")
            }
            index = next
        }
    }

    private func isAggregate(_ name: SQLToken, _ call: ArraySlice<SQLToken>) -> Bool {
        guard name.kind == .word || name.isQuoted else { return false }
        let folded = name.content.foldedName
        guard ["max", "min"].contains(folded) else { return PureFunctions.aggregates.contains(folded) }
        guard let end = call.closingIndex else { return true }
        return call[(call.startIndex + 1)..<end].outerParts.map { $0.count == 1 } ?? true
    }

    /// Throws if an aggregate in a query among the result columns belongs to the statement itself, because
    /// its arguments are columns of the statement's tables alone. The library accepts it there, but not in a
    /// condition.
    private func checkAggregates(
        ofQuery query: ArraySlice<SQLToken>, _ sources: ArraySlice<SQLToken>
    ) throws {
        let hasAggregate = query.indices.dropLast().contains { index in
            query[index + 1].isSymbol("(")
                && PureFunctions.aggregates.contains(query[index].content.foldedName)
        }
        guard hasAggregate else { return }
        let test = "SELECT 1 FROM \(text(sources)) WHERE \(text(query))"
        guard let statement = try? connection.compileInternally(test) else {
            throw Refusal("it has an aggregate in a query")
        }
        _ = connection.api.pointee.finalize(statement)
    }
}

extension SQLToken {
    /// Whether the token can be the operator or the function `LIKE` or `GLOB`.
    ///
    /// If these use an index in the condition of a LEFT JOIN, the library (3.40.1 to 3.54.1) loses rows
    /// without a match. It uses the index for many rows and not for one, so the results differ.
    var mayBePattern: Bool {
        isWord(in: ["like", "glob"]) || isQuoted && ["like", "glob"].contains(content.foldedName)
    }
}

extension ArraySlice<SQLToken> {
    /// Whether an expression has the operator `IS`, which can find rows by an index. `IS NOT` cannot, and
    /// `IS NULL` is another operator.
    fileprivate var hasIdentity: Bool {
        zip(self, dropFirst()).contains { $0.isWord("IS") && !$1.isWord(in: ["not", "null"]) }
    }
}

extension ColumnReference.Meaning {
    fileprivate func isRowID(in occurrences: [TableOccurrence]) -> Bool {
        guard case .column(let index, let column) = self else { return true }
        return occurrences[index].metadata.table.rowIDColumn?.isSameName(as: column.name) == true
    }
}
