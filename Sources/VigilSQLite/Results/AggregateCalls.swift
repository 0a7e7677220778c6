import VigilStorage

/// A call of an aggregate in a part of a statement.
struct AggregateCall {
    /// The tokens, with the filter.
    let tokens: ArraySlice<SQLToken>
    let function: GroupPlan.Aggregate.Function
    /// The argument; `nil` for `COUNT(*)`.
    let argument: ArraySlice<SQLToken>?
    /// The expression in `FILTER (WHERE …)`.
    let filter: ArraySlice<SQLToken>?

    /// Returns the aggregates of a part, in order.
    ///
    /// - Throws: ``Refusal`` for aggregates that cannot be kept, and for nested queries and windows.
    static func all(in part: ArraySlice<SQLToken>) throws(Refusal) -> [AggregateCall] {
        if part.contains(where: { $0.isWord(in: ["select", "values", "with"]) }) {
            throw Refusal("it has a query beside its aggregates or groups")
        }
        var calls: [AggregateCall] = []
        var index = part.startIndex
        while index < part.endIndex {
            guard let call = try AggregateCall(part[index...]) else {
                index += 1
                continue
            }
            calls.append(call)
            index = call.tokens.endIndex
        }
        if part.contains(where: { $0.isWord("OVER") }) { throw Refusal("it has a window function") }
        return calls
    }

    /// Reads a call at the beginning of tokens.
    private init?(_ tokens: ArraySlice<SQLToken>) throws(Refusal) {
        guard let name = tokens.first, name.kind == .word || name.isQuoted,
            PureFunctions.aggregates.contains(name.content.foldedName)
        else { return nil }
        let call = tokens.dropFirst()
        guard call.first?.isSymbol("(") == true, let end = call.closingIndex else { return nil }
        var inner = call[(call.startIndex + 1)..<end]
        let function = name.content.foldedName
        if ["max", "min"].contains(function), inner.outerParts?.count != 1 { return nil }
        let isDistinct = inner.first?.isWord("DISTINCT") == true
        if isDistinct || inner.first?.isWord("ALL") == true { inner = inner.dropFirst() }
        let isStar = inner.isEmpty || inner.count == 1 && inner.first?.isSymbol("*") == true
        guard let meaning = Self.function(function, isDistinct: isDistinct, isStar: isStar) else {
            throw Refusal("it has the aggregate \(function)\(isDistinct ? " with DISTINCT" : "")")
        }
        self.function = meaning
        argument = isStar ? nil : inner
        (filter, self.tokens) = try Self.filter(tokens, after: end)
        if inner.contains(where: { $0.isWord(in: ["collate", "order"]) }) {
            throw Refusal("the aggregate \(function) has COLLATE or ORDER BY")
        }
        for part in [inner, filter ?? []] where try !Self.all(in: part).isEmpty {
            throw Refusal("the aggregate \(function) contains another one")
        }
    }

    private static func function(
        _ name: String, isDistinct: Bool, isStar: Bool
    ) -> GroupPlan.Aggregate.Function? {
        switch (name, isDistinct) {
        case ("count", false): isStar ? .countAll : .count
        case ("count", true): isStar ? nil : .countDistinct
        case ("sum", false): .sum
        case ("total", false): .total
        case ("avg", false): .average
        // DISTINCT makes no difference.
        case ("min", _): .minimum
        case ("max", _): .maximum
        default: nil
        }
    }

    /// Reads the filter behind a call.
    private static func filter(
        _ tokens: ArraySlice<SQLToken>, after end: Int
    ) throws(Refusal) -> (ArraySlice<SQLToken>?, ArraySlice<SQLToken>) {
        let rest = tokens[(end + 1)...]
        guard rest.first?.isWord("FILTER") == true, rest.dropFirst().first?.isSymbol("(") == true else {
            return (nil, tokens[...end])
        }
        let filter = rest.dropFirst()
        guard let close = filter.closingIndex, filter.dropFirst().first?.isWord("WHERE") == true else {
            throw Refusal("a FILTER was not understood")
        }
        return (filter[(filter.startIndex + 2)..<close], tokens[...close])
    }
}
