/// Decides what a command does with the connection to the server: run on it, replace it first, or fail.
///
/// A lost connection fails the current command. If a transaction was open, the server has rolled it back; the
/// transaction then counts as open and failed until the caller rolls it back, so no statement of the
/// transaction runs outside of it. The next command after that reconnects.
struct ConnectionMachine: Equatable {
    /// The kind of a command, by its effect on the transaction.
    enum Command: Equatable {
        /// Runs in the open transaction, or outside of one.
        case statement
        case begin
        case commit
        case rollback
    }

    enum Action: Equatable {
        case run
        /// Reconnect, report the outcome, and then send the command.
        case reconnect
        /// The command succeeds without the server: the transaction is already rolled back.
        case succeed
        case fail(Failure)
    }

    enum Failure: Equatable {
        case closed
        /// The transaction ended with the connection to the server.
        case transactionLost
    }

    private enum State: Equatable {
        case connected
        /// - Parameter inTransaction: whether the caller still has to end a transaction.
        case lost(inTransaction: Bool)
        case closed
    }

    private var state = State.connected
    /// The number of connections to the server before this one. What belongs to an earlier one, such as a
    /// prepared statement, no longer exists.
    private(set) var generation = 0

    /// Whether a transaction was open when the connection was lost, and the caller has not rolled it back.
    var hasLostTransaction: Bool { state == .lost(inTransaction: true) }

    var isConnected: Bool { state == .connected }

    mutating func willRun(_ command: Command) -> Action {
        switch (state, command) {
        case (.connected, _): return .run
        case (.closed, _): return .fail(.closed)
        case (.lost(inTransaction: true), .rollback):
            state = .lost(inTransaction: false)
            return .succeed
        case (.lost(inTransaction: true), .commit):
            state = .lost(inTransaction: false)
            return .fail(.transactionLost)
        case (.lost(inTransaction: true), _): return .fail(.transactionLost)
        case (.lost(inTransaction: false), _): return .reconnect
        }
    }

    mutating func didReconnect() {
        guard state == .lost(inTransaction: false) else { return }
        state = .connected
        generation += 1
    }

    /// Records that the server ended the session, or cannot be reached.
    ///
    /// - Parameters:
    ///   - command: the failed command.
    ///   - wasInTransaction: whether a transaction was open before the command.
    mutating func didLose(during command: Command, wasInTransaction: Bool) {
        guard state == .connected else { return }
        // The caller ends the transactions that it began. A failed begin and a requested end need no end.
        state = .lost(inTransaction: wasInTransaction && command == .statement)
    }

    /// Records that a transaction still open for the caller could not be begun again. The connection is
    /// replaced after its end, even if it could be used.
    mutating func didLoseTransaction() {
        guard state != .closed else { return }
        state = .lost(inTransaction: true)
    }

    mutating func close() {
        state = .closed
    }
}
