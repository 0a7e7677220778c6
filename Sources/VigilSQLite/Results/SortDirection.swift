import VigilStorage

/// The direction of an ORDER BY term.
struct SortDirection {
    private(set) var expression: ArraySlice<SQLToken>
    private(set) var isDescending = false
    private var nullsAreLast: Bool?

    init(_ tokens: ArraySlice<SQLToken>) {
        expression = tokens
        if expression.count >= 3, expression[expression.endIndex - 2].isWord("NULLS"),
            let place = expression.last, place.isWord(in: ["first", "last"])
        {
            nullsAreLast = place.isWord("LAST")
            expression = expression.dropLast(2)
        }
        if let last = expression.last, last.isWord(in: ["asc", "desc"]) {
            isDescending = last.isWord("DESC")
            expression = expression.dropLast()
        }
    }

    func term(_ collation: ListPlan.SortTerm.Collation) -> ListPlan.SortTerm {
        ListPlan.SortTerm(collation: collation, isDescending: isDescending, nullsAreLast: nullsAreLast)
    }
}
