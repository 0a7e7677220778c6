/// Which results are printed, under which number, and when it is enough.
///
/// A value: ``WatchLoop`` does what it answers.
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

    /// - Parameter limit: how many results are printed at most.
    init(printsInitial: Bool, limit: Int?) {
        self.printsInitial = printsInitial
        self.limit = limit
    }

    /// Call with the initial result, then with fresh ones, which may be no different.
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
