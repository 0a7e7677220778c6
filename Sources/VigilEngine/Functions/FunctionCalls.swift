import VigilRegions
import VigilStorage

/// The functions that run now, and the statements that they interrupt.
struct FunctionCalls {
    /// How many functions run, one inside the other.
    private(set) var depth = 0
    /// What the statement that calls the innermost function assigns to, if that function ran another one.
    private var interrupted: StatementColumns?

    /// - Returns: what ``leave(_:)`` is to be given.
    mutating func enter() -> Outer {
        defer {
            depth += 1
            interrupted = nil
        }
        return Outer(interrupted: interrupted)
    }

    /// - Returns: the statement that goes on now, if it has to be told.
    mutating func leave(_ outer: Outer) -> StatementColumns? {
        defer {
            depth -= 1
            interrupted = outer.interrupted
        }
        return interrupted
    }

    /// A statement has begun, in place of another.
    mutating func didInterrupt(_ statement: StatementColumns) {
        if depth > 0, interrupted == nil { interrupted = statement }
    }

    struct Outer {
        fileprivate var interrupted: StatementColumns?
    }
}

extension Database {
    func leaveFunction(_ outer: FunctionCalls.Outer) {
        guard let statement = functionCalls.leave(outer) else { return }
        changes?.statementGoesOn(statement)
    }

    /// Whether a statement that writes is calling a function. What the function writes is committed with that
    /// statement, or undone with it, so the ends of the function's own statements decide nothing.
    var isInsideWritingStatement: Bool {
        functionCalls.depth > 0 && (connection as? any FunctionHosting)?.isRunningWrite == true
    }
}
