import VigilStorage

/// The functions that run now, one in the middle of another.
struct FunctionCalls {
    private var depth = 0

    var isRunning: Bool { depth > 0 }

    mutating func enter() { depth += 1 }
    mutating func leave() { depth -= 1 }
}

extension Database {
    /// Whether a statement that writes is calling a function. What the function writes is committed with that
    /// statement, or undone with it, so the ends of the function's own statements decide nothing.
    var isInsideWritingStatement: Bool {
        functionCalls.isRunning && (connection as? any FunctionHosting)?.isRunningWrite == true
    }
}
