import VigilStorage

extension GroupPlanner {
    /// Returns the query whose rows are counted by `SELECT COUNT(*) FROM (…)`; `nil` for other statements.
    static func counted(
        _ outer: SelectOutline, _ connection: SQLiteConnection
    ) throws(Refusal) -> SelectOutline? {
        guard outer.sources.first?.isSymbol("(") == true, let end = outer.sources.closingIndex else {
            return nil
        }
        let alias = outer.sources[(end + 1)...]
        let name = alias.first?.isWord("AS") == true ? alias.dropFirst() : alias
        let isAlias = alias.isEmpty || name.count == 1 && name.first?.mayBeName == true
        let calls = try AggregateCall.all(in: outer.resultColumns)
        guard isAlias, outer.condition == nil, !outer.hasGroups, outer.order == nil, outer.limit == nil,
            calls.count == 1, calls[0].function == .countAll, calls[0].filter == nil,
            calls[0].tokens.count == outer.resultColumns.count
        else { throw Refusal("there is a query in parentheses after FROM") }
        let inner = try SelectOutline(Array(outer.sources[(outer.sources.startIndex + 1)..<end]))
        guard inner.resultColumns.first?.isWord("DISTINCT") != true, !inner.hasGroups, inner.limit == nil,
            try AggregateCall.all(in: inner.resultColumns).isEmpty
        else { throw Refusal("the query in parentheses after FROM has groups, aggregates or a limit") }
        // The columns are not computed. An aggregate of the program would make one row of all.
        for (token, next) in zip(inner.resultColumns, inner.resultColumns.dropFirst())
        where token.mayBeName && next.isSymbol("(") && !token.isWord("CAST")
            && !connection.isPure(token.content.foldedName)
        {
            throw Refusal("the query in parentheses after FROM calls \(token.content)")
        }
        return inner
    }
}
