import VigilStorage

/// Reports the writes of a connection as changes of the whole database.
///
/// A write by a function inside of a query is not reported. The feed detects it, like any other commit.
struct ChangeReporter {
    private weak var sink: (any ChangeSink)?
    private var interest = ChangeInterest.nothing
    /// Whether the open transaction, or the running statement, has written.
    private var hasWritten = false

    mutating func set(_ sink: (any ChangeSink)?, _ interest: ChangeInterest) {
        self.sink = sink
        self.interest = sink == nil ? .nothing : interest
    }

    mutating func willWrite() {
        hasWritten = true
        if interest >= .changes { sink?.didChange(.database) }
    }

    func willCommit() -> Bool {
        guard hasWritten, interest >= .transactions, let sink else { return true }
        return sink.willCommit()
    }

    mutating func didEndTransaction(committed: Bool) {
        if hasWritten, !committed, interest >= .transactions { sink?.didRollback() }
        hasWritten = false
    }
}
