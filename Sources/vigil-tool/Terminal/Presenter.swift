/// Shows results to whoever reads.
protocol Presenter {
    /// What ``WatchLoop`` ends when nobody reads any more.
    var output: Output { get }
    /// What has to be put right when the process ends or is suspended.
    var screen: TerminalScreen? { get }

    /// - Parameters:
    ///   - number: of the result; 0 for the initial one.
    mutating func show(_ result: QueryResult, number: Int) throws

    /// Shows what the watch waits for; `nil` if that is over.
    mutating func show(note: String?) throws

    /// The terminal has another size, or comes back.
    func redraw() throws

    /// Leaves what should stay when the watch ends.
    func finish() throws
}
