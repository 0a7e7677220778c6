import VigilStorage

/// The functions that run now, and the statements that they interrupt.
struct FunctionCalls {
    private var depth = 0
    /// The statement that calls the innermost function, if that function ran another one.
    private var interrupted: ObservedStatement?

    var isRunning: Bool { depth > 0 }

    /// - Returns: what ``leave(_:)`` is to be given.
    mutating func enter() -> Outer {
        defer {
            depth += 1
            interrupted = nil
        }
        return Outer(interrupted: interrupted)
    }

    /// - Returns: the statement that goes on now, if it has to be told.
    mutating func leave(_ outer: Outer) -> ObservedStatement? {
        defer {
            depth -= 1
            interrupted = outer.interrupted
        }
        return interrupted
    }

    /// A statement is about to run in the middle of another.
    mutating func willInterrupt(_ statement: ObservedStatement?) {
        if interrupted == nil { interrupted = statement }
    }

    struct Outer {
        fileprivate var interrupted: ObservedStatement?
    }
}

extension Database {
    func leaveFunction(_ outer: FunctionCalls.Outer) {
        guard let statement = functionCalls.leave(outer) else { return }
        changes?.statementWillRun(statement)
    }

    /// Whether a statement that writes is calling a function. What the function writes is committed with that
    /// statement, or undone with it, so the ends of the function's own statements decide nothing.
    var isInsideWritingStatement: Bool {
        functionCalls.isRunning && (connection as? any FunctionHosting)?.isRunningWrite == true
    }
}
