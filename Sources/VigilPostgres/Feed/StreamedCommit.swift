/// A committed transaction, received from the stream.
struct StreamedCommit: Equatable, Sendable {
    /// The lower half of the transaction's number.
    var transaction: UInt32
    /// The written relations.
    var relations: Set<UInt32>
}

/// Collects the messages of a stream to commits.
///
/// A transaction is sent as a whole after its commit. Only its relations are kept, so a huge one needs no
/// memory.
struct CommitAssembler {
    private var commit: StreamedCommit?
    /// The last relation, because most messages have the one of the message before.
    private var relation: UInt32?

    enum Answer: Equatable {
        case incomplete
        case commit(StreamedCommit, end: UInt64)
        /// The messages are in an order that the protocol excludes.
        case malformed
    }

    mutating func receive(_ message: PgOutput) -> Answer {
        switch (message, commit) {
        case (.begin(let transaction), nil):
            commit = StreamedCommit(transaction: transaction, relations: [])
            relation = nil
        case (.commit(let end), let commit?):
            self.commit = nil
            return .commit(commit, end: end)
        case (.row(_, let relation), .some): insert(relation)
        case (.truncate(let relations), .some):
            for relation in relations { insert(relation) }
        // A message of the program can also be sent outside of a transaction.
        case (.relation, .some), (.other, _): break
        case (.begin, .some), (.commit, nil), (.row, nil), (.truncate, nil), (.relation, nil):
            return .malformed
        }
        return .incomplete
    }

    private mutating func insert(_ relation: UInt32) {
        guard relation != self.relation else { return }
        self.relation = relation
        commit?.relations.insert(relation)
    }
}
