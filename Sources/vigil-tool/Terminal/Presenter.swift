/// Shows results to the user, or to the program that reads the output.
protocol Presenter {
    /// The output of the results. The watch ends when its reader closes it.
    var output: Output { get }
    /// The terminal to restore when the process ends or is suspended, if any.
    var screen: TerminalScreen? { get }

    /// Shows a result.
    ///
    /// - Parameters:
    ///   - number: The number of the result. The initial result has number 0.
    mutating func show(_ result: QueryResult, number: Int) throws

    /// Shows what the watch is waiting for. `nil` removes the note.
    mutating func show(note: String?) throws

    /// Draws again, after the terminal was resized or the process resumed.
    func redraw() throws

    /// Prints what remains on the terminal when the watch ends.
    func finish() throws
}
