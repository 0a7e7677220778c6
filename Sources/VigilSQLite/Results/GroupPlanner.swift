import CVigilSQLite
import VigilStorage

/// Plans how the result of a query with aggregates or groups is kept up to date row by row.
///
/// It edits the text of the query at the boundaries of tokens, and ``ListPlanner`` plans the rows. Texts
/// move, so each parameter is written with its number.
struct GroupPlanner {
    private let connection: SQLiteConnection
    private let access: StatementAccess
    private let text: NumberedText
    private let outline: SelectOutline
    private let occurrences: [TableOccurrence]
    private let columns: [ResultColumn]
    private let equalities: ConvertedEqualities
    private let isDistinct: Bool
    private var parts: GroupParts

    static func report(
        on statement: any StorageStatement, _ connection: SQLiteConnection
    ) -> GroupPlanReport {
        do {
            var text = try NumberedText(statement.sql, of: statement)
            if let sql = try namingAllColumns(text, connection) {
                text = try NumberedText(sql, of: statement)
            }
            var planner = try GroupPlanner(text, of: statement, connection)
            return .plan(try planner.plan())
        } catch let refusal as Refusal {
            return .refused(refusal.reason)
        } catch {
            return .refused("the schema cannot be read")
        }
    }

    /// Returns the statement with the columns that `*` and `team.*` stand for; `nil` without groups or stars.
    private static func namingAllColumns(
        _ text: NumberedText, _ connection: SQLiteConnection
    ) throws -> String? {
        guard text.tokens.contains(where: { $0.isWord("GROUP") }) else { return nil }
        let outline = try SelectOutline(text.tokens)
        let stars = try outline.columns().filter(\.isStar)
        guard outline.groups != nil, !stars.isEmpty else { return nil }
        let occurrences = try occurrences(outline, connection)
        let names = stars.map { star in
            let named = occurrences.filter { occurrence in
                star.tokens.count == 1 || star.tokens.first.map { occurrence.isNamed($0.content) } == true
            }
            return named.flatMap { occurrence in
                occurrence.metadata.table.columns.map {
                    "\(occurrence.effectiveName.quotedSQLName).\($0.name.quotedSQLName)"
                }
            }.joined(separator: ", ")
        }
        return text.sql(text.tokens[...], replacing: Array(zip(stars.map(\.tokens), names)))
    }

    private init(
        _ text: NumberedText, of statement: any StorageStatement, _ connection: SQLiteConnection
    ) throws {
        self.text = text
        access = statement.access
        self.connection = connection
        guard access.isReadOnly, access.transactionEffect == nil, !access.readsUnknown,
            text.tokens.first?.isWord("SELECT") == true,
            !text.tokens.contains(where: { $0.kind == .byteOrderMark })
        else { throw Refusal("it is not a plain query") }
        let outer = try SelectOutline(text.tokens)
        outline = try Self.counted(outer, connection) ?? outer
        occurrences = try Self.occurrences(outline, connection)
        let written = outer.resultColumns
        isDistinct = written.first?.isWord("DISTINCT") == true
        let rest = isDistinct || written.first?.isWord("ALL") == true ? written.dropFirst() : written
        guard let parts = rest.outerParts, parts.count == statement.columnNames.count else {
            throw Refusal("it returns *")
        }
        columns = parts.map(ResultColumn.init)
        equalities = ConvertedEqualities(in: outline, columns: columns, occurrences: occurrences)
        if columns.contains(where: \.isStar) { throw Refusal("it returns *") }
        self.parts = GroupParts(text: text)
    }

    private static func occurrences(
        _ outline: SelectOutline, _ connection: SQLiteConnection
    ) throws -> [TableOccurrence] {
        try FromClause(outline.sources).sources.map { source in
            guard let metadata = try connection.table(meantBy: source) else {
                throw Refusal("\(source.name) is not an ordinary table")
            }
            return TableOccurrence(source: source, metadata: metadata)
        }
    }

    private mutating func plan() throws -> GroupPlan {
        // A name in quotes may be the alias of an aggregate, which the contributions lack.
        try checkNames(outline.condition ?? [])
        for source in occurrences.map(\.source) { try checkNames(source.condition ?? []) }
        var groups = try groupTerms()
        let outputs = try columns.map { column throws(Refusal) in try output(of: column) }
        if groups == nil {
            guard !parts.aggregates.isEmpty else { throw Refusal(GroupPlanReport.noGroups) }
            guard parts.values.isEmpty else { throw Refusal("it returns columns beside aggregates") }
        }
        let order = groups == nil ? [] : try orderTerms(outputs)
        if !order.isEmpty { try checkSortedReals() }
        try checkDistinct(order)
        if let terms = groups {
            try checkTies(terms, order)
            groups = direct(terms, like: order)
        }
        if let condition = outline.groupCondition {
            guard outline.groups != nil else { throw Refusal("it has HAVING without GROUP BY") }
            let calls = try AggregateCall.all(in: condition)
            try checkColumns(ofCondition: condition, calls)
            try parts.setCondition(condition, calls, aggregates: try aggregates(calls))
        }
        let (limit, offset) = try limits()
        let contributions = try contributions()
        let evaluation = parts.evaluation(aliasedAggregates(outputs))
        if let evaluation { try check(evaluation: evaluation) }
        return GroupPlan(
            contributions: contributions, groups: groups, valueCount: parts.values.count,
            argumentCount: parts.arguments.count, aggregates: parts.aggregates, outputs: outputs,
            order: order, evaluationSQL: evaluation, expressionCount: parts.expressions.count, limit: limit,
            offset: offset, parameterCount: text.parameterCount)
    }

    // MARK: - Clauses

    /// Returns the GROUP BY terms, whose values become the first ones; `nil` without groups.
    private mutating func groupTerms() throws(Refusal) -> [ListPlan.SortTerm]? {
        if isDistinct {
            guard !outline.hasGroups else { throw Refusal("it has DISTINCT beside GROUP BY") }
            var terms: [ListPlan.SortTerm] = []
            for column in columns {
                guard try AggregateCall.all(in: column.tokens).isEmpty else {
                    throw Refusal("it has DISTINCT beside aggregates")
                }
                terms.append(.init(collation: try collation(of: column.expression)))
                parts.addGroup(column.tokens, expression: column.expression)
            }
            return terms
        }
        guard let groups = outline.groups else { return nil }
        guard let written = groups.outerParts else { throw Refusal("GROUP BY was not understood") }
        var terms: [ListPlan.SortTerm] = []
        for tokens in written {
            let column = try column(ofGroup: tokens)
            let expression = column?.expression ?? tokens
            guard try AggregateCall.all(in: expression).isEmpty else {
                throw Refusal("GROUP BY has an aggregate")
            }
            terms.append(.init(collation: try collation(of: expression)))
            parts.addGroup(column?.tokens ?? tokens, expression: expression)
        }
        return terms
    }

    /// Returns the result column with the value of a GROUP BY term; `nil` for other terms.
    private func column(ofGroup tokens: ArraySlice<SQLToken>) throws(Refusal) -> ResultColumn? {
        if let column = try numberedColumn(tokens) { return column }
        if let reference = ColumnReference(tokens), reference.length == tokens.count {
            if let meaning = reference.meaning(in: occurrences) {
                return columns.first { $0.reference?.meaning(in: occurrences) == meaning }
            }
            guard let column = try aliasedColumn(reference) else {
                throw Refusal("GROUP BY has a name that was not understood")
            }
            return column
        }
        try checkNames(tokens)
        let key = parts.key(tokens)
        return columns.first { parts.key($0.expression).isIdentical(to: key) }
    }

    private func numberedColumn(_ tokens: ArraySlice<SQLToken>) throws(Refusal) -> ResultColumn? {
        guard tokens.count == 1, let token = tokens.first, token.kind == .number else { return nil }
        guard let number = Int(token.text), columns.indices.contains(number - 1) else {
            throw Refusal("it sorts or groups by \(token.text), which was not understood")
        }
        return columns[number - 1]
    }

    private func aliasedColumn(_ reference: ColumnReference) throws(Refusal) -> ResultColumn? {
        guard reference.parts.count == 1, let name = reference.parts.first?.content else { return nil }
        let found = columns.filter { $0.possibleAlias?.isSameName(as: name) == true }
        guard found.count <= 1 else { throw Refusal("several result columns have the name \(name)") }
        return found.first
    }

    private mutating func output(of column: ResultColumn) throws(Refusal) -> GroupPlan.Output {
        let calls = try AggregateCall.all(in: column.tokens)
        guard let first = calls.first else { return parts.value(column.tokens, column.expression) }
        let indices = try aggregates(calls)
        let rest = column.tokens[first.tokens.endIndex...]
        let isAlias =
            rest.isEmpty || rest.count == 1 && rest.last?.mayBeName == true
            || rest.count == 2 && rest.first?.isWord("AS") == true
        if calls.count == 1, first.tokens.startIndex == column.tokens.startIndex, isAlias {
            return .aggregate(indices[0])
        }
        return try parts.expression(column.tokens, calls, aggregates: indices)
    }

    /// Returns the result columns that are aggregates with an alias.
    private func aliasedAggregates(
        _ outputs: [GroupPlan.Output]
    ) -> [(tokens: ArraySlice<SQLToken>, aggregate: Int)] {
        zip(columns, outputs).compactMap { column, output in
            guard case .aggregate(let index) = output, column.tokens.last?.isSymbol(")") != true else {
                return nil
            }
            return (column.tokens, index)
        }
    }

    /// Returns the index of each aggregate.
    private mutating func aggregates(_ calls: [AggregateCall]) throws(Refusal) -> [Int] {
        var indices: [Int] = []
        for call in calls {
            let name = call.tokens.first?.content.foldedName ?? ""
            guard connection.isBuiltIn(name) else { throw Refusal("\(name) may be another function") }
            var collation = ListPlan.SortTerm.Collation.binary
            switch call.function {
            case .minimum, .maximum, .countDistinct:
                if let argument = call.argument { collation = try self.collation(of: argument) }
            default: break
            }
            indices.append(parts.aggregate(call, collation))
        }
        return indices
    }

    private mutating func orderTerms(_ outputs: [GroupPlan.Output]) throws(Refusal) -> [GroupPlan.OrderTerm] {
        guard let order = outline.order else { return [] }
        guard let written = order.outerParts else { throw Refusal("ORDER BY was not understood") }
        var terms: [GroupPlan.OrderTerm] = []
        for part in written {
            let direction = SortDirection(part)
            let tokens = direction.expression
            let column = try column(ofOrder: tokens)
            let output: GroupPlan.Output
            let expression = column?.expression ?? tokens
            if let column,
                let index = columns.firstIndex(where: { $0.tokens.startIndex == column.tokens.startIndex })
            {
                output = outputs[index]
            } else {
                try checkNames(tokens)
                output = try self.output(of: ResultColumn(tokens))
            }
            var collation = ListPlan.SortTerm.Collation.binary
            if case .value = output { collation = try self.collation(of: expression) }
            if expression.contains(where: { $0.isWord("COLLATE") }) {
                throw Refusal("ORDER BY has COLLATE")
            }
            terms.append(.init(output, direction.term(collation)))
        }
        return terms
    }

    /// Refuses sorted groups with real numbers that the library may return as integers.
    private func checkSortedReals() throws {
        for column in columns {
            // The other aggregates return new numbers.
            let calls = try AggregateCall.all(in: column.tokens).filter {
                $0.function != .minimum && $0.function != .maximum
            }
            let indices = column.tokens.indices.filter { index in
                !calls.contains { $0.tokens.indices.contains(index) }
            }
            try connection.checkSortedReals(among: indices.map { column.tokens[$0] }, access.reads)
        }
    }

    /// Refuses groups if those with equal sort values have the order of an index, whose columns may have
    /// another order than GROUP BY, or descend. If the result is sorted by all of them, none are equal.
    private func checkTies(_ groups: [ListPlan.SortTerm], _ order: [GroupPlan.OrderTerm]) throws(Refusal) {
        let sorted = Set(order.map(\.output))
        guard !isDistinct, !groups.indices.allSatisfy({ sorted.contains(.value($0)) }) else { return }
        let isUncertain = mayUseOtherIndexes
        guard
            groups.count > 1 || isUncertain && mayDescend(groups, like: order)
                || occurrences.contains(where: { connection.hasDescendingIndex($0.table) }),
            isUncertain || !connection.sortsToGroup(text.sql(text.tokens[...]))
        else { return }
        throw Refusal("groups with equal sort values have the order of an index")
    }

    /// Whether the library may find groups by other indexes for other arguments.
    private var mayUseOtherIndexes: Bool {
        occurrences.contains(where: { !$0.metadata.indexes.isEmpty })
            && (try? outline.planDependsOnArguments(of: text, in: occurrences, connection: connection))
                != false
    }

    private func mayDescend(_ groups: [ListPlan.SortTerm], like order: [GroupPlan.OrderTerm]) -> Bool {
        groups.count == order.count && order.contains(where: \.term.isDescending)
    }

    /// Gives groups the directions of as many ORDER BY terms, as newer libraries do if they sort the rows to
    /// find the groups: it is then the order of groups with equal sort values. With an index, they ascend.
    private func direct(
        _ groups: [ListPlan.SortTerm], like order: [GroupPlan.OrderTerm]
    ) -> [ListPlan.SortTerm] {
        guard !isDistinct, mayDescend(groups, like: order), connection.groupsLikeOrder,
            connection.sortsToGroup(text.sql(text.tokens[...]))
        else { return groups }
        return zip(groups, order).map {
            ListPlan.SortTerm(collation: $0.collation, isDescending: $1.term.isDescending)
        }
    }

    /// Returns the result column that an ORDER BY term names by its number or alias; `nil` for other terms.
    private func column(ofOrder tokens: ArraySlice<SQLToken>) throws(Refusal) -> ResultColumn? {
        if let column = try numberedColumn(tokens) { return column }
        let name = tokens.withoutParentheses
        guard let reference = ColumnReference(name), reference.length == name.count else {
            if tokens.contains(where: namesColumn) { return nil }
            // `(2)` is the number of a column, as `2` is.
            guard try !AggregateCall.all(in: tokens).isEmpty else { throw Refusal("ORDER BY has a constant") }
            return nil
        }
        let column = try aliasedColumn(reference)
        if let column, reference.meaning(in: occurrences) != nil,
            column.tokens.dropLast().last?.isWord("AS") != true
        {
            // The name may end an expression instead of being its alias.
            throw Refusal("ORDER BY has the name \(name.first?.content ?? ""), which has several meanings")
        }
        return column
    }

    /// Refuses DISTINCT without an order of all rows: the library returns them as it finds them.
    private func checkDistinct(_ order: [GroupPlan.OrderTerm]) throws(Refusal) {
        guard isDistinct else { return }
        let sorted = Set(order.map(\.output))
        guard columns.indices.allSatisfy({ sorted.contains(.value($0)) }) else {
            throw Refusal("it has DISTINCT, and ORDER BY does not contain all result columns")
        }
    }

    private func limits() throws(Refusal) -> (
        limit: RowConditionTemplate.Operand?, offset: RowConditionTemplate.Operand?
    ) {
        guard let tokens = outline.limit else { return (nil, nil) }
        let clause = WindowClause(tokens, text.parameters)
        try clause.check()
        return (clause.limit, clause.offset)
    }

    // MARK: - Names

    /// Refuses HAVING with a name of a column outside of the aggregates: it precedes the alias of a result.
    private func checkColumns(
        ofCondition tokens: ArraySlice<SQLToken>, _ calls: [AggregateCall]
    ) throws(Refusal) {
        try checkNames(tokens)
        for (index, token) in zip(tokens.indices, tokens) where namesColumn(token) {
            guard calls.contains(where: { $0.tokens.indices.contains(index) }) else {
                throw Refusal("HAVING has the column \(token.content)")
            }
        }
        // The library takes the first of several results with one name.
        for token in tokens {
            if let reference = ColumnReference([token]) { _ = try aliasedColumn(reference) }
        }
    }

    /// Whether a word or a quoted name may be a column or a row id.
    private func namesColumn(_ token: SQLToken) -> Bool {
        guard token.kind == .word || token.isQuoted else { return false }
        return ["rowid", "_rowid_", "oid"].contains(token.content.foldedName)
            || occurrences.contains { $0.column(named: token.content) != nil }
    }

    /// Returns the collation of a value to group or sort by.
    private func collation(
        of tokens: ArraySlice<SQLToken>
    ) throws(Refusal) -> ListPlan.SortTerm.Collation {
        let plain = tokens.withoutParentheses
        if let reference = ColumnReference(plain), reference.length == plain.count,
            let meaning = reference.meaning(in: occurrences)
        {
            guard case .column(let index, let column) = meaning else { return .binary }
            guard !equalities.contains(meaning) else {
                throw Refusal(
                    "it groups or sorts by \(column.name), whose values may be compared as numbers")
            }
            switch connection.collation(of: column.name, in: occurrences[index].table) {
            case .binary: return .binary
            case .nocase: return .nocase
            case .rtrim, nil: throw Refusal("it uses the collation of \(column.name)")
            }
        }
        guard connection.storesUTF8, !tokens.contains(where: { $0.isWord("COLLATE") }) else {
            throw Refusal("it groups or sorts by an expression with a collation")
        }
        for token in tokens where token.kind == .word || token.isQuoted {
            for occurrence in occurrences {
                guard let column = occurrence.column(named: token.content) else { continue }
                guard connection.collation(of: column.name, in: occurrence.table) == .binary else {
                    throw Refusal("it groups or sorts by an expression with a collation")
                }
            }
        }
        return .binary
    }

    /// Refuses names in quotes that are not columns: they may be aliases, or text.
    private func checkNames(_ tokens: ArraySlice<SQLToken>) throws(Refusal) {
        for token in tokens where token.kind == .quotedName {
            let isName = occurrences.contains { occurrence in
                occurrence.column(named: token.content) != nil || occurrence.isNamed(token.content)
            }
            guard isName else { throw Refusal("the name \(token.text) was not understood") }
        }
    }

    // MARK: - Statements

    /// Plans the contributions as a list without an order.
    private func contributions() throws -> ListPlan {
        let sql = parts.contributions(outline)
        guard let statement = try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false).statement
        else {
            throw Refusal("its rows cannot be read one by one")
        }
        defer { statement.finalize() }
        guard Set(statement.access.reads.map(\.table)) == Set(access.reads.map(\.table)),
            statement.parameterCount <= text.parameterCount
        else { throw Refusal("it was not understood") }
        let report = ListPlanner.report(on: statement, connection)
        guard case .plan(let plan) = report else {
            if case .refused(let reason) = report { throw Refusal(reason) }
            throw Refusal("its rows are not planned")
        }
        if let watched = plan.watched.first { throw Refusal("\(watched.table.name) is \(watched.reason)") }
        guard
            (plan.sources.map(\.table) + plan.links.map(\.table)).allSatisfy({
                $0.schema.isSameName(as: "main")
            })
        else {
            throw Refusal("it reads a table of another schema than main")
        }
        return plan
    }

    /// Throws if a statement does not compile, reads tables, or calls an impure function.
    private func check(evaluation sql: String) throws {
        connection.libraryFunctions.called = []
        defer { connection.libraryFunctions.called = nil }
        guard let statement = try? connection.prepare(sql, fromUTF8Offset: 0, isCached: false).statement
        else {
            throw Refusal("an expression or HAVING has columns beside aggregates")
        }
        defer { statement.finalize() }
        guard statement.access.isReadOnly, !statement.access.readsUnknown, statement.access.reads.isEmpty,
            statement.parameterCount <= text.parameterCount + parts.aggregates.count
        else { throw Refusal("an expression or HAVING was not understood") }
        for name in (connection.libraryFunctions.called ?? []).sorted()
        where !connection.isPure(name) || name.hasPrefix("json") {
            throw Refusal("an expression beside aggregates calls \(name)")
        }
    }
}

extension SQLiteConnection {
    /// Whether the library finds groups in the direction of ORDER BY, even if it sorts by other values.
    fileprivate var groupsLikeOrder: Bool {
        let sql = "SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2) GROUP BY x ORDER BY COUNT(*) DESC"
        return (try? query(sql))?.first?.first == .integer(2)
    }

    /// Whether an index of a table may have descending columns.
    fileprivate func hasDescendingIndex(_ table: TableName) -> Bool {
        (try? hasDescendingIndexes(on: table)) ?? true
    }

    /// Whether the library sorts the rows of a query to find its groups.
    fileprivate func sortsToGroup(_ sql: String) -> Bool {
        let steps = (try? planSteps(of: sql)) ?? []
        return steps.contains { !$0.isInNestedQuery && $0.detail == "USE TEMP B-TREE FOR GROUP BY" }
    }
}
