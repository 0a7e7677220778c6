import VigilStorage

/// Derives conditions from the text of a query: rows must meet them to affect the query.
///
/// It only keeps what is certain. A table is certain if the statement reads it only where the recognizer
/// found it after FROM. A conjunct is certain if all of its tokens match one of a few patterns
/// (`Decisions/010`).
struct ConditionRecognizer {
    private let connection: SQLiteConnection
    private let access: StatementAccess
    private let sql: String
    private let tokens: [SQLToken]
    private var occurrences: [TableOccurrence] = []
    private var report = RowConditionReport()
    /// Whether the order of the rows is certain to be complete; `nil` if it is not examined.
    private var hasCompleteOrder: Bool?

    /// Reports the conditions of a statement. Its reads and its parameters come from the library.
    static func report(
        on statement: any StorageStatement, _ connection: SQLiteConnection
    ) throws(StorageError) -> RowConditionReport {
        let access = statement.access
        guard access.isReadOnly, !access.readsUnknown, !access.reads.isEmpty else {
            return RowConditionReport()
        }
        var recognizer = ConditionRecognizer(statement, connection)
        let returnsPartOfRows = recognizer.limitCount > 0
        if recognizer.hasCandidates {
            do {
                try recognizer.recognize(statement)
            } catch let refusal as Refusal {
                recognizer.report = RowConditionReport()
                if recognizer.hasConditions { recognizer.omit(refusal) }
            } catch let error as StorageError {
                throw error
            } catch {
                recognizer.report = RowConditionReport()
            }
        }
        recognizer.report.returnsPartOfRows = returnsPartOfRows
        return recognizer.report
    }

    /// Returns the reads of indexes that may decide which rows of a statement come first.
    static func orderingReads(
        of statement: any StorageStatement, _ connection: SQLiteConnection
    ) -> [TableRead] {
        let access = statement.access
        guard access.isReadOnly, !access.readsUnknown, !access.reads.isEmpty else { return [] }
        var recognizer = ConditionRecognizer(statement, connection)
        if recognizer.hasNoSources { return [] }
        recognizer.hasCompleteOrder = false
        try? recognizer.recognize(statement)
        if recognizer.hasCompleteOrder == true { return [] }
        return access.reads.compactMap { connection.readOfIndexes(on: $0.table) }
    }

    private init(_ statement: any StorageStatement, _ connection: SQLiteConnection) {
        sql = statement.sql
        access = statement.access
        self.connection = connection
        let tokens = SQLTokens(sql).tokens
        let hasMarks = tokens.contains { $0.kind == .byteOrderMark }
        self.tokens =
            hasMarks && connection.skipsByteOrderMarks
            ? tokens.filter { $0.kind != .byteOrderMark } : tokens
    }

    /// Whether the statement contains anything that could be a condition, or bound the rows that matter.
    private var hasCandidates: Bool {
        tokens.first?.isWord(in: ["select", "with"]) == true
            && (hasConditions || tokens.contains { $0.isWord("ORDER") || $0.mayBeExtreme })
    }

    private var hasConditions: Bool { tokens.contains { $0.isWord(in: ["where", "on"]) } }

    private var limitCount: Int { tokens.count(where: { $0.isWord("LIMIT") }) }

    /// Whether the statement is a SELECT of one row, without FROM.
    private var hasNoSources: Bool {
        let words: Set<String> = ["from", "union", "values"]
        guard limitCount == 0, tokens.first?.isWord("SELECT") == true, let outer = tokens[...].outerIndexes
        else { return false }
        return !outer.contains { tokens[$0].isWord(in: words) }
    }

    private mutating func recognize(_ statement: any StorageStatement) throws {
        // The statement compiles although a token is U+FEFF, so the library splits it differently.
        guard !tokens.contains(where: { $0.kind == .byteOrderMark }) else {
            throw Refusal("the statement has a name that begins with U+FEFF")
        }
        let outline = try SelectOutline(tokens)
        let examinesOrder = hasCompleteOrder != nil && limitCount == (outline.limit == nil ? 0 : 1)
        if examinesOrder, RowOrder.hasOneRow(outline, connection) { hasCompleteOrder = true }
        let sources = try FromClause(outline.sources).sources
        for source in sources { occurrences.append(try occurrence(source)) }
        let excluded = try tablesReadElsewhere(outline.nestedNames)
        let parameters = try ParameterNumbers(tokens, of: statement)
        let context = SQLConstant.Context(
            parameters: parameters,
            hasTruthValues: hasTruthValues(outline))
        let reader = ConjunctReader(context: context)
        if let condition = outline.condition { read(condition, reader) { !sources[$0].isOptional } }
        for index in sources.indices {
            guard let condition = sources[index].condition else { continue }
            if sources[index].isOptional {
                // The condition only decides which rows of this table are joined. Rows of the other tables
                // take part even if they do not meet it.
                read(condition, reader) { $0 == index }
            } else {
                read(condition, reader) { !sources[$0].isOptional }
            }
        }
        if examinesOrder, hasCompleteOrder == false {
            hasCompleteOrder = RowOrder.isComplete(
                outline, occurrences, columnNames: statement.columnNames, connection: connection)
        }
        report.tables = tableConditions(excluded)
        report.order = ResultOrderReader(
            outline, occurrences, columnNames: statement.columnNames, parameters: parameters,
            connection: connection
        ).order(excluding: excluded)
        if !report.tables.isEmpty || report.order != nil { try omitIfRowsMayFail(outline, parameters) }
    }

    /// Leaves out all conditions if another row may make the statement fail.
    private mutating func omitIfRowsMayFail(
        _ outline: SelectOutline, _ parameters: ParameterNumbers
    ) throws {
        var filters = RowFilters(outline, occurrences: occurrences, access: access)
        if let source = try filters.errorSource(parameters, connection) {
            for table in report.tables {
                omit(
                    table.alternatives,
                    because: "\(source) may fail for rows that do not meet the condition")
            }
            report.tables = []
            report.order = nil
        } else {
            report.maximumLengths = filters.parameterLimits
        }
    }

    // MARK: - Tables

    private func occurrence(_ source: FromClause.Source) throws -> TableOccurrence {
        guard let metadata = try connection.table(meantBy: source), metadata.table.kind == .table else {
            throw Refusal("\(source.name) is not an ordinary table")
        }
        // The library writes its own tables without reporting rows.
        guard !metadata.table.name.name.foldedName.hasPrefix("sqlite_") else {
            throw Refusal("\(source.name) is a table of the library")
        }
        guard access.reads.contains(where: { $0.table == metadata.table.name }) else {
            throw Refusal("the database reads other tables than those after FROM")
        }
        return TableOccurrence(source: source, metadata: metadata)
    }

    /// Returns the tables also read by a nested SELECT: any of their rows may matter.
    private func tablesReadElsewhere(_ nestedNames: Set<String>) throws -> Set<TableName> {
        if !nestedNames.isEmpty, try connection.hasViewOrVirtualTable(among: nestedNames) {
            throw Refusal("a query in the statement reads a view or a virtual table")
        }
        for read in access.reads where !occurrences.contains(where: { $0.table == read.table }) {
            // Old libraries do not report these reads. They are guessed from the words of the statement.
            if read.columns == [], !connection.library.reportsReadsWithoutColumn { continue }
            let source = FromClause.Source(schema: read.table.schema, name: read.table.name)
            guard nestedNames.contains(read.table.name.foldedName),
                try connection.table(meantBy: source)?.table.kind == .table
            else { throw Refusal("the database reads other tables than those after FROM") }
        }
        return Set(occurrences.map(\.table).filter { nestedNames.contains($0.name.foldedName) })
    }

    private mutating func tableConditions(_ excluded: Set<TableName>) -> [TableConditions] {
        var result: [TableConditions] = []
        for table in Set(occurrences.map(\.table)).sorted(by: { $0.precedes($1) }) {
            let alternatives = occurrences.filter { $0.table == table }.flatMap(\.conditions.lists)
            if excluded.contains(table) {
                omit(alternatives, because: "a query in the statement reads \(table) too")
            } else if alternatives.contains(where: \.isEmpty) {
                omit(alternatives, because: "the statement reads \(table) without a condition too")
            } else if alternatives.count > ConditionAlternatives.limit {
                omit(
                    alternatives,
                    because:
                        "there are more than \(ConditionAlternatives.limit) alternatives for rows of \(table)"
                )
            } else {
                result.append(TableConditions(table, alternatives: alternatives))
            }
        }
        return result
    }

    private mutating func omit(_ alternatives: [[RowConditionTemplate]], because reason: String) {
        for condition in alternatives.joined() {
            report.omissions.append(.init(text: condition.text { "?\($0)" }, reason: reason))
        }
    }

    // MARK: - Conjuncts

    /// Adds the conditions of an expression to the restricted tables.
    ///
    /// - Parameter isAllowed: returns whether rows of a table that do not meet the expression make no
    ///   difference, given the index of the table.
    private mutating func read(
        _ condition: ArraySlice<SQLToken>, _ reader: ConjunctReader, where isAllowed: (Int) -> Bool
    ) {
        let found = alternatives(of: condition, reader, depth: 0, isAllowed)
        for index in occurrences.indices {
            var conditions = occurrences[index].conditions
            restrict(&conditions, to: found[index], condition)
            occurrences[index].conditions = conditions
        }
    }

    /// Returns, for each table, the conditions of its row for an expression to be true.
    private mutating func alternatives(
        of expression: ArraySlice<SQLToken>, _ reader: ConjunctReader, depth: Int, _ isAllowed: (Int) -> Bool
    ) -> [ConditionAlternatives] {
        var result = Array(repeating: ConditionAlternatives.anyRow, count: occurrences.count)
        guard depth < Self.depthLimit else {
            omit(Refusal("it is nested too deeply", at: expression))
            return result
        }
        for part in ConditionConjuncts(expression).parts {
            switch part {
            case .refusal(let refusal): omit(refusal)
            case .expression(let conjunct):
                do throws(Refusal) {
                    let (index, condition) = try template(reader.read(conjunct), conjunct)
                    guard isAllowed(index) else {
                        throw Refusal(
                            occurrences[index].source.isOptional
                                ? "the table is joined by a LEFT JOIN"
                                : "the condition decides which rows a LEFT JOIN adds from another table",
                            at: conjunct)
                    }
                    restrict(&result[index], to: ConditionAlternatives(condition), conjunct)
                } catch {
                    omit(error)
                }
            case .disjunction(let tokens, let expressions):
                var found: [[ConditionAlternatives]] = []
                for expression in expressions {
                    found.append(alternatives(of: expression, reader, depth: depth + 1, isAllowed))
                }
                restrict(&result, toOneOf: found, tokens)
            }
        }
        return result
    }

    /// The maximum depth of OR in parentheses.
    private static let depthLimit = 12

    /// Restricts the rows of each table to several alternatives.
    private mutating func restrict(
        _ conditions: inout [ConditionAlternatives], toOneOf alternatives: [[ConditionAlternatives]],
        _ tokens: ArraySlice<SQLToken>
    ) {
        var isRestricted = false
        for index in conditions.indices {
            let union = alternatives.dropFirst().reduce(alternatives[0][index]) { union, other in
                union?.union(other[index])
            }
            guard let union else {
                isRestricted = true
                omit(Self.refusalOfTooMany(tokens))
                continue
            }
            if union.isUnrestricted { continue }
            isRestricted = true
            restrict(&conditions[index], to: union, tokens)
        }
        if !isRestricted {
            omit(Refusal("its alternatives do not all restrict the rows of one table", at: tokens))
        }
    }

    private mutating func restrict(
        _ conditions: inout ConditionAlternatives, to others: ConditionAlternatives,
        _ tokens: ArraySlice<SQLToken>
    ) {
        if let intersection = conditions.intersection(others) {
            conditions = intersection
        } else {
            omit(Self.refusalOfTooMany(tokens))
        }
    }

    private static func refusalOfTooMany(_ tokens: ArraySlice<SQLToken>) -> Refusal {
        Refusal("it has more than \(ConditionAlternatives.limit) alternatives", at: tokens)
    }

    private func template(
        _ reading: ConjunctReader.Reading, _ conjunct: ArraySlice<SQLToken>
    ) throws(Refusal) -> (occurrence: Int, RowConditionTemplate) {
        switch reading.column.meaning(in: occurrences) {
        case .rowID(let index):
            try check(reading.test, affinity: .numeric, conjunct)
            return (index, RowConditionTemplate(.rowID, reading.test, affinity: .numeric))
        case .column(let index, let column):
            let occurrence = occurrences[index]
            if occurrence.metadata.table.rowIDColumn?.isSameName(as: column.name) == true {
                try check(reading.test, affinity: .numeric, conjunct)
                return (index, RowConditionTemplate(.rowID, reading.test, affinity: .numeric))
            }
            if occurrence.metadata.generatedColumns.contains(ExactString(column.name)) {
                throw Refusal("the column is generated", at: conjunct)
            }
            guard let affinity = ColumnAffinity(declaredType: column.type) else {
                throw Refusal("the column has the type ANY", at: conjunct)
            }
            try check(reading.test, affinity: affinity, conjunct)
            let collation = connection.collation(of: column.name, in: occurrence.table)
            return (
                index,
                RowConditionTemplate(
                    .named(column.name), reading.test, affinity: affinity, collation: collation)
            )
        case nil: throw Refusal("the column name is ambiguous", at: conjunct)
        }
    }

    /// Throws a ``Refusal`` for patterns from which no certain condition follows.
    private func check(
        _ test: RowConditionTemplate.Test, affinity: ColumnAffinity, _ conjunct: ArraySlice<SQLToken>
    ) throws(Refusal) {
        guard case .matches(let patternOperator, let operand) = test else { return }
        guard affinity == .text || affinity == .none else {
            throw Refusal("numbers match patterns too", at: conjunct)
        }
        guard connection.storesUTF8 else { throw Refusal("the database does not store UTF-8", at: conjunct) }
        if let reason = connection.reasonToDistrust(patternOperator) { throw Refusal(reason, at: conjunct) }
        switch operand {
        case .value(.text(let pattern)) where patternOperator.prefix(of: pattern).isEmpty:
            throw Refusal("the pattern does not begin with ASCII characters", at: conjunct)
        case .value(.text), .value(.null), .parameter: return
        case .value, .near, .elements: throw Refusal("the pattern is not text", at: conjunct)
        }
    }

    /// Returns whether TRUE and FALSE are values. They are names in old libraries, and where a column or a
    /// result column has such a name.
    private func hasTruthValues(_ outline: SelectOutline) -> Bool {
        let names: Set<String> = ["true", "false"]
        return connection.library.versionNumber >= 3_023_000
            && !outline.resultColumns.contains {
                ($0.kind == .word || $0.isQuoted) && names.contains($0.content.foldedName)
            }
            && !occurrences.contains {
                $0.metadata.table.columns.contains { names.contains($0.name.foldedName) }
            }
    }

    // MARK: - Omissions

    private mutating func omit(_ refusal: Refusal) {
        var text = sql
        if let first = refusal.tokens.first, let last = refusal.tokens.last {
            let bytes = Array(sql.utf8)[first.range.lowerBound..<last.range.upperBound]
            text = String(decoding: bytes, as: UTF8.self)
        }
        report.omissions.append(.init(text: text, reason: refusal.reason))
    }
}
