import Synchronization
public import VigilEngine

/// Makes statements of a database fail, to test how an app reacts.
///
/// ```swift
/// let faults = StatementFaults()
/// faults.add(to: &configuration)
/// let dbQueue = try DatabaseQueue(configuration: configuration)
/// faults.fail(2, containing: "INSERT", with: DatabaseError(resultCode: .SQLITE_FULL))
/// ```
///
/// A statement that fails has not run. In a `write`, the transaction is then rolled back, as after any
/// error. BEGIN and COMMIT of Vigil's own transactions are no statements.
///
/// The methods are thread-safe.
public final class StatementFaults: Sendable {
    private struct Fault {
        var remaining: Int
        let text: String
        let error: DatabaseError
    }

    private struct State {
        var faults: [Fault] = []
        var statementCount = 0
        var failureCount = 0
    }

    private let state = Mutex(State())

    /// Creates faults: none, before ``fail(_:containing:with:)``.
    public init() {}

    /// The number of statements that have failed.
    public var failureCount: Int { state.withLock { $0.failureCount } }

    /// The number of statements so far.
    public var statementCount: Int { state.withLock { $0.statementCount } }

    /// Uses the faults for all connections that are opened with a configuration.
    public func add(to configuration: inout Configuration) {
        configuration.statementFault = { [self] sql in error(for: sql) }
    }

    /// Makes one statement fail, once.
    ///
    /// - Parameters:
    ///   - number: The number of the statement, from now on: 1 is the next one.
    ///   - text: A text that the SQL of counted statements contains; all are counted if it is empty.
    ///   - error: The error to throw. The SQL of the statement is added to it.
    public func fail(
        _ number: Int = 1, containing text: String = "",
        with error: DatabaseError = DatabaseError(resultCode: .SQLITE_IOERR)
    ) {
        state.withLock { $0.faults.append(Fault(remaining: max(number, 1), text: text, error: error)) }
    }

    private func error(for sql: String) -> DatabaseError? {
        state.withLock { state in
            state.statementCount += 1
            var error: DatabaseError?
            for index in state.faults.indices.reversed()
            where state.faults[index].text.isEmpty || sql.contains(state.faults[index].text) {
                state.faults[index].remaining -= 1
                if state.faults[index].remaining == 0 { error = state.faults.remove(at: index).error }
            }
            if error != nil { state.failureCount += 1 }
            return error
        }
    }
}
