/// Decides which results are printed, with which number, and which one is the last. ``WatchLoop`` performs the
/// decisions.
struct WatchProgress {
    enum Action: Equatable {
        /// There is nothing to print.
        case skip
        /// There is nothing to print, and a report that could not be shown is outdated.
        case discard
        case print(number: Int)
        case printLast(number: Int)
    }

    private let printsInitial: Bool
    private let limit: Int?
    /// Whether results that contain the same rows in another order are considered identical.
    private let ignoresOrder: Bool
    private var last: QueryResult?
    private var nextNumber = 0
    private var shown = 0
    /// The result of the last report that was shown, or the initial one if it is not printed. Changes are relative to
    /// it.
    private(set) var base: QueryResult?

    /// - Parameter limit: The maximum number of printed results, or `nil` if it is unlimited.
    init(printsInitial: Bool, limit: Int?, ignoresOrder: Bool = false) {
        self.printsInitial = printsInitial
        self.ignoresOrder = ignoresOrder
        self.limit = limit
    }

    /// Handles a result. A result that is identical to the previous one is skipped.
    ///
    /// If the result of the last report returns after one that could not be shown, it has no changes to print.
    mutating func didReceive(_ result: QueryResult) -> Action {
        if let last, isIdentical(last, result) { return .skip }
        last = result
        if ignoresOrder, let base, isIdentical(base, result) { return .discard }
        let number = nextNumber
        nextNumber += 1
        guard number > 0 || printsInitial else {
            base = result
            return .skip
        }
        return limit.map { shown + 1 >= $0 } == true ? .printLast(number: number) : .print(number: number)
    }

    /// Handles a report that was shown. Others do not count toward the limit.
    mutating func didShow(_ result: QueryResult) {
        base = result
        shown += 1
    }

    private func isIdentical(_ last: QueryResult, _ result: QueryResult) -> Bool {
        if last.isIdentical(to: result) { return true }
        return ignoresOrder && last.columns == result.columns && RowChanges(from: last, to: result).isEmpty
    }
}
