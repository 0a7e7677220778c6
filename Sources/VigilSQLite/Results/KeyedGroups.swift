import VigilStorage

/// The groups of a statement with `GROUP BY` a key of a table: each one is a row of this table.
///
/// The library computes a group from the rows joined with this row, so nothing but their order must be
/// irrelevant.
struct KeyedGroups {
    /// The grouped table, one of the sources.
    let source: Int

    private let occurrences: [TableOccurrence]
    private let equalities: ConvertedEqualities
    private let connection: SQLiteConnection

    init(
        _ outline: SelectOutline, _ columns: [ResultColumn], in occurrences: [TableOccurrence],
        connection: SQLiteConnection
    ) throws(Refusal) {
        self.occurrences = occurrences
        self.connection = connection
        equalities = ConvertedEqualities(in: outline, columns: columns, occurrences: occurrences)
        guard let groups = outline.groups?.outerParts else { throw Self.refusal }
        var source: Int?
        var key: [RowCondition.Column] = []
        for group in groups.map(\.withoutParentheses) {
            guard let reference = ColumnReference(group), reference.length == group.count,
                !columns.contains(where: { column in
                    // A name that is not a column may be an alias.
                    reference.parts.count == 1
                        && column.possibleAlias?.isSameName(as: reference.parts[0].content) == true
                }),
                let meaning = reference.meaning(in: occurrences),
                source == nil || source == meaning.occurrence
            else { throw Self.refusal }
            source = meaning.occurrence
            switch meaning {
            case .rowID: key.append(.rowID)
            // With another collation, different values of a unique index may be equal.
            case .column(let index, let column)
            where occurrences[index].metadata.table.rowIDColumn?.isSameName(as: column.name) == true
                || connection.collation(of: column.name, in: occurrences[index].table) == .binary:
                key.append(.named(column.name))
            case .column: break
            }
        }
        guard let source, occurrences[source].isKey(key, excludesNull: false),
            !occurrences[source].source.isOptional
        else { throw Self.refusal }
        self.source = source
        for column in columns { try check(column.expression) }
        if let condition = outline.groupCondition { try check(condition) }
    }

    private static var refusal: Refusal { Refusal("it has GROUP BY or HAVING") }

    /// Refuses parts with other columns of joined tables than those in aggregates, and with aggregates that
    /// depend on the order of the rows.
    private func check(_ part: ArraySlice<SQLToken>) throws(Refusal) {
        let calls = try AggregateCall.all(in: part)
        for call in calls { try check(call) }
        for index in part.indices where !calls.contains(where: { $0.tokens.indices.contains(index) }) {
            let token = part[index]
            let qualifier =
                index - 2 >= part.startIndex && part[index - 1].isSymbol(".") ? part[index - 2] : nil
            if let qualifier, occurrences[source].isNamed(qualifier.content) { continue }
            if token.isSymbol("*"), qualifier != nil || part.count == 1 {
                throw Refusal("it returns all columns of a table that is not grouped")
            }
            guard token.kind == .word || token.isQuoted else { continue }
            let mayBeOther =
                ["rowid", "_rowid_", "oid"].contains(token.content.foldedName)
                || occurrences.indices.contains {
                    $0 != source && occurrences[$0].column(named: token.content) != nil
                }
            // The name of a table before a column is not a column.
            if mayBeOther, part.dropFirst(index + 1 - part.startIndex).first?.isSymbol(".") != true {
                throw Refusal(
                    "it returns the column \(token.content), which is neither grouped nor aggregated")
            }
        }
    }

    private func check(_ call: AggregateCall) throws(Refusal) {
        let name = call.tokens.first?.content.foldedName ?? ""
        guard connection.isBuiltIn(name) else { throw Refusal("\(name) may be another function") }
        switch call.function {
        case .countAll, .count: return
        case .countDistinct:
            // A look-up of one row may count other values than the query.
            guard let argument = call.argument, let meaning = meaning(argument), equalities.contains(meaning)
            else { return }
            throw Refusal("the values counted by COUNT(DISTINCT) may be compared as numbers")
        case .minimum, .maximum:
            guard let argument = call.argument, isUnambiguous(argument) else {
                throw Refusal("equal values of \(name) may not be identical")
            }
        case .sum, .total, .average:
            throw Refusal("the result of \(name) may depend on the order of the rows")
        }
    }

    /// Returns the column of an expression without anything else.
    private func meaning(_ tokens: ArraySlice<SQLToken>) -> ColumnReference.Meaning? {
        let name = tokens.withoutParentheses
        guard let reference = ColumnReference(name), reference.length == name.count else { return nil }
        return reference.meaning(in: occurrences)
    }

    /// Whether equal values of an expression are identical: it is a column that converts its numbers.
    private func isUnambiguous(_ tokens: ArraySlice<SQLToken>) -> Bool {
        guard let meaning = meaning(tokens) else { return false }
        guard case .column(let index, let column) = meaning else { return true }
        let affinity = ColumnAffinity(declaredType: column.type)
        return affinity != nil && affinity != ColumnAffinity.none
            && connection.collation(of: column.name, in: occurrences[index].table) == .binary
    }
}
