/// Decides which results are printed, with which number, and which one is the last. ``WatchLoop`` performs the
/// decisions.
struct WatchProgress {
    enum Action: Equatable {
        case skip
        case print(number: Int)
        case printLast(number: Int)
    }

    private let printsInitial: Bool
    private let limit: Int?
    private var last: QueryResult?
    private var nextNumber = 0
    private var printed = 0

    /// - Parameter limit: The maximum number of printed results, or `nil` if it is unlimited.
    init(printsInitial: Bool, limit: Int?) {
        self.printsInitial = printsInitial
        self.limit = limit
    }

    /// Handles a result. A result that is identical to the previous one is skipped.
    mutating func didReceive(_ result: QueryResult) -> Action {
        if let last, last.isIdentical(to: result) { return .skip }
        last = result
        let number = nextNumber
        nextNumber += 1
        guard number > 0 || printsInitial else { return .skip }
        printed += 1
        return limit.map { printed >= $0 } == true ? .printLast(number: number) : .print(number: number)
    }
}
