/// Decides which results are printed, with which number, and which one is the last. ``WatchLoop`` performs
/// the decisions.
struct WatchProgress {
    enum Action: Equatable {
        case skip
        case print(number: Int)
        case printLast(number: Int)
    }

    private let printsInitial: Bool
    private let limit: Int?
    /// Whether results with the same rows in another order are considered identical.
    private let ignoresOrder: Bool
    /// The last printed result, or the initial one if it is not printed. Changes are relative to it.
    private(set) var last: QueryResult?
    private var nextNumber = 0
    private var printed = 0

    /// - Parameter limit: The maximum number of printed results, or `nil` if it is unlimited.
    init(printsInitial: Bool, limit: Int?, ignoresOrder: Bool = false) {
        self.printsInitial = printsInitial
        self.ignoresOrder = ignoresOrder
        self.limit = limit
    }

    /// Handles a result. A result identical to the previous one is skipped.
    mutating func didReceive(_ result: QueryResult) -> Action {
        if let last, isIdentical(last, result) { return .skip }
        last = result
        let number = nextNumber
        nextNumber += 1
        guard number > 0 || printsInitial else { return .skip }
        printed += 1
        return printed == limit ? .printLast(number: number) : .print(number: number)
    }

    private func isIdentical(_ last: QueryResult, _ result: QueryResult) -> Bool {
        if last.isIdentical(to: result) { return true }
        return ignoresOrder && last.columns == result.columns && RowChanges(from: last, to: result).isEmpty
    }
}
