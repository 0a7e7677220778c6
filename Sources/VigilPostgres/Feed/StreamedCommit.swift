import Foundation
import VigilStorage

/// A committed transaction, received from the stream.
struct StreamedCommit: Equatable, Sendable {
    /// The lower half of the transaction's number.
    var transaction: UInt32
    /// The end of the commit in the log.
    var end: UInt64 = 0
    /// The time of the server, in microseconds since 2000.
    var time: Int64 = 0
    /// The relations in which any row may have changed.
    var relations: Set<UInt32>
    /// The changed rows of all other relations.
    var rows: [StreamedRow] = []

    var isEmpty: Bool { relations.isEmpty && rows.isEmpty }
    /// The memory of the rows, about.
    var byteCount: Int { rows.reduce(0) { $0 + $1.byteCount } }

    /// Keeps only the relations.
    mutating func dropRows() {
        for row in rows { relations.insert(row.relation.id) }
        rows = []
    }
}

extension StreamedCommit {
    /// Returns the time since the commit, negative if the clocks differ by more; 0 for an impossible time.
    func lag(at now: Date) -> Duration {
        let microseconds = Int64(now.timeIntervalSince(Self.epoch) * 1e6)
        let (lag, overflows) = microseconds.subtractingReportingOverflow(time)
        return .microseconds(overflows ? 0 : lag)
    }

    /// The begin of 2000, in UTC.
    private static let epoch = Date(timeIntervalSince1970: 946_684_800)
}

/// Collects the messages of a stream to commits.
///
/// A transaction is sent as a whole after its commit. Rows are kept up to a limit, and beyond it only their
/// relations, so a huge transaction needs little memory.
struct CommitAssembler {
    /// The memory for the rows of one transaction, in bytes.
    static let rowLimit = 256 << 10

    private var commit: StreamedCommit?
    private var byteCount = 0
    /// The definitions of the relations, sent once in a stream unless they change.
    private var definitions: [UInt32: StreamedRelation] = [:]

    enum Answer: Equatable {
        case incomplete
        case commit(StreamedCommit)
        /// The messages are in an order that the protocol excludes.
        case malformed
    }

    /// Adds a message.
    ///
    /// - Parameter bytes: the bytes of the message.
    mutating func receive(_ message: PgOutput, _ bytes: UnsafeRawBufferPointer) -> Answer {
        if case .begin(let transaction) = message {
            guard commit == nil else { return .malformed }
            commit = StreamedCommit(transaction: transaction, relations: [])
            byteCount = 0
            return .incomplete
        }
        // A message of the program can also be sent outside of a transaction.
        if case .other = message { return .incomplete }
        guard commit != nil else { return .malformed }
        switch message {
        case .row(let row): add(row, bytes)
        case .truncate(let relations): commit?.relations.formUnion(relations)
        case .relation(let definition): definitions[definition.id] = definition
        case .commit(let end, let time):
            guard var ended = commit.take() else { return .malformed }
            ended.end = end
            ended.time = time
            return .commit(ended)
        case .begin, .other: break
        }
        return .incomplete
    }

    private mutating func add(_ row: PgOutput.Row, _ bytes: UnsafeRawBufferPointer) {
        if commit?.relations.contains(row.relation) != false { return }
        guard byteCount <= Self.rowLimit, let definition = definitions[row.relation],
            !definition.isAmbiguous, let kept = StreamedRow(row, definition, in: bytes)
        else {
            commit?.relations.insert(row.relation)
            return
        }
        byteCount += kept.byteCount
        commit?.rows.append(kept)
        if byteCount > Self.rowLimit { commit?.dropRows() }
    }
}
