import VigilStorage

/// Where a connection is in its transaction. A value: it decides, ``SimulatedConnection`` acts.
struct SimulatedTransaction {
    enum Opening {
        /// It lasts as long as statements run.
        case statement
        case begin
        case savepoint
    }

    private struct Savepoint {
        let name: String
        /// `nil` if nothing had been read.
        let state: SimulatedState?
    }

    var opening = Opening.statement
    /// What the transaction reads from: the state at its first read.
    private(set) var base: SimulatedState?
    /// The base with the transaction's own changes.
    var state: SimulatedState?
    /// Whether it holds the right to write.
    var isWriting = false
    private var savepoints: [Savepoint] = []

    /// Whether it lasts until it is committed or rolled back.
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

    /// - Returns: whether this was the savepoint that began the transaction.
    func releasingCommits(_ name: String) throws(StorageError) -> Bool {
        try index(of: name) == 0 && opening == .savepoint
    }

    mutating func release(_ name: String) throws(StorageError) {
        savepoints.removeSubrange(try index(of: name)...)
    }

    /// Goes back to a savepoint, which stays.
    mutating func rollBack(to name: String) throws(StorageError) {
        let index = try index(of: name)
        state = savepoints[index].state ?? base
        savepoints.removeSubrange((index + 1)...)
    }

    /// The newest of its name.
    private func index(of name: String) throws(StorageError) -> Int {
        guard let index = savepoints.lastIndex(where: { $0.name.isSameName(as: name) }) else {
            throw StorageError(.error, "no such savepoint: \(name)")
        }
        return index
    }
}
