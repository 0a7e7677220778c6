import VigilStorage

/// The state of a connection's transaction. It decides; ``SimulatedConnection`` acts.
struct SimulatedTransaction {
    /// How a transaction was begun.
    enum Opening {
        /// By a statement: the transaction lasts while statements run.
        case statement
        case begin
        case savepoint
    }

    private struct Savepoint {
        let name: String
        /// The state at the savepoint; `nil` if the transaction had not read yet.
        let state: SimulatedState?
    }

    var opening = Opening.statement
    /// The state at the transaction's first read.
    private(set) var base: SimulatedState?
    /// The ``base`` with the transaction's own changes.
    var state: SimulatedState?
    /// Whether the transaction holds the write lock.
    var isWriting = false
    private var savepoints: [Savepoint] = []

    /// Whether the transaction lasts until it is committed or rolled back.
    var isExplicit: Bool { opening != .statement }

    var isChanged: Bool {
        guard let base, let state else { return false }
        return !state.isUnchanged(since: base)
    }

    mutating func read(_ state: SimulatedState) {
        base = state
        self.state = state
    }

    // MARK: Savepoints

    mutating func addSavepoint(_ name: String) {
        if !isExplicit { opening = .savepoint }
        savepoints.append(Savepoint(name: name, state: state))
    }

    /// Returns whether releasing the savepoint commits, because it began the transaction.
    func releasingCommits(_ name: String) throws(StorageError) -> Bool {
        try index(of: name) == 0 && opening == .savepoint
    }

    mutating func release(_ name: String) throws(StorageError) {
        savepoints.removeSubrange(try index(of: name)...)
    }

    /// Rolls back to a savepoint, and keeps it open.
    mutating func rollBack(to name: String) throws(StorageError) {
        let index = try index(of: name)
        state = savepoints[index].state ?? base
        savepoints.removeSubrange((index + 1)...)
    }

    /// Returns the index of the last savepoint with this name.
    private func index(of name: String) throws(StorageError) -> Int {
        guard let index = savepoints.lastIndex(where: { $0.name.isSameName(as: name) }) else {
            throw StorageError(.error, "no such savepoint: \(name)")
        }
        return index
    }
}
