import VigilStorage

/// The expressions of a statement that the library may evaluate for rows outside of its conditions.
///
/// These are the conditions themselves, in any order. Result columns and other clauses are only evaluated for
/// rows that meet all conditions, except where a condition names a result column.
struct RowFilters {
    private let outline: SelectOutline
    private let occurrences: [TableOccurrence]
    private let access: StatementAccess
    /// The lengths of parameters, in bytes, beyond which the expressions may fail.
    private(set) var parameterLimits: [Int: Int] = [:]

    init(_ outline: SelectOutline, occurrences: [TableOccurrence], access: StatementAccess) {
        self.outline = outline
        self.occurrences = occurrences
        self.access = access
    }

    /// Returns the name of a part that may raise an error for a row outside of the conditions.
    mutating func errorSource(
        _ parameters: ParameterNumbers, _ connection: SQLiteConnection
    ) throws -> String? {
        var sources = ErrorSources(
            isBuiltIn: connection.isBuiltIn,
            maximumPatternLength: connection.limit(SQLiteLimit.patternLength),
            maximumLength: connection.limit(SQLiteLimit.length), parameters: parameters)
        let filters = filters(sources)
        let failing = try failingColumns(sources, connection)
        sources.failingColumns = failing.names
        if let column = failing.nested, filters.joined().contains(where: { $0.isWord("SELECT") }) {
            return column
        }
        for filter in filters {
            if let source = sources.first(in: filter) { return source }
        }
        // Only HAVING can refer to a result column with an aggregate, computed for selected rows.
        for result in results(namedIn: filters) where !sources.hasAggregate(result) {
            if let source = sources.first(in: result) { return source }
        }
        parameterLimits = sources.parameterLimits
        return nil
    }

    private func filters(_ sources: ErrorSources) -> [ArraySlice<SQLToken>] {
        let conditions = [outline.condition].compactMap { $0 } + occurrences.compactMap(\.source.condition)
        guard let groupCondition = outline.groupCondition else { return conditions }
        // The library turns parts without aggregates into conditions on rows.
        let parts = ConditionConjuncts(groupCondition).parts.map(\.tokens)
        return conditions + parts.filter { !sources.hasAggregate($0) }
    }

    /// Returns the result columns, `expression AS name` or `expression name`, named by expressions. If a
    /// table has a column of that name, the name refers to that column instead.
    private func results(namedIn filters: [ArraySlice<SQLToken>]) -> [ArraySlice<SQLToken>] {
        let words = filters.joined().filter { $0.kind == .word || $0.kind == .quotedName }
        let names = Set(words.map(\.content.foldedName)).filter { name in
            !occurrences.contains { $0.column(named: name) != nil }
        }
        return outline.resultColumns.outerParts?.filter { result in
            guard result.count > 1, let last = result.last else { return false }
            return (last.kind == .word || last.isQuoted) && names.contains(last.content.foldedName)
        } ?? []
    }

    // MARK: - Generated columns

    /// Returns the folded names of the generated columns that may raise an error, and the name of one of them
    /// that a nested query may read without naming it.
    private func failingColumns(
        _ sources: ErrorSources, _ connection: SQLiteConnection
    ) throws -> (names: Set<String>, nested: String?) {
        var generating = sources
        generating.isGenerating = true
        var names: Set<String> = []
        var nested: String?
        for read in access.reads {
            let source = FromClause.Source(schema: read.table.schema, name: read.table.name)
            guard let metadata = try connection.table(meantBy: source), !metadata.virtualColumns.isEmpty,
                metadata.generatingExpressions.contains(where: { generating.first(in: $0) != nil })
            else { continue }
            names.formUnion(metadata.virtualColumns.map(\.foldedName))
            if outline.nestedNames.contains(read.table.name.foldedName) {
                nested = metadata.virtualColumns.first { read.columns?.contains($0) ?? true } ?? nested
            }
        }
        return (names, nested)
    }
}
