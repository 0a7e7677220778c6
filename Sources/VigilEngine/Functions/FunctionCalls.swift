import VigilStorage

/// Counts the running functions: a function may run statements that call other functions.
struct FunctionCalls {
    private var depth = 0

    var isRunning: Bool { depth > 0 }

    mutating func willCall() { depth += 1 }
    mutating func didReturn() { depth -= 1 }
}

extension Database {
    /// Whether a function is running on behalf of a statement that writes. The function's own changes are
    /// committed or undone along with that statement, so the end of the function's statements does not determine
    /// their outcome.
    var isInsideWritingStatement: Bool {
        functionCalls.isRunning && functionHost?.isRunningWrite == true
    }
}
