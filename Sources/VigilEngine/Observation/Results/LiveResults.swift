import Synchronization
import VigilRegions
import VigilStorage

/// The results of a database that are kept up to date row by row, as long as observations use them.
final class LiveResults: Sendable {
    fileprivate struct Entry {
        weak var result: LiveResult?
    }

    /// The results by their SQL.
    private let entries = Mutex<[ExactString: [Entry]]>([:])
    // Not guarded by the lock: a result may be released while it is held.
    private let count = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    /// Whether no result is kept. Each fetch reads it, so it takes no lock.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// The memory of all results, roughly.
    var byteCount: Int { bytes.load(ordering: .relaxed) }

    /// Returns the result of a statement.
    func find(_ sql: String, _ arguments: BoundArguments) -> LiveResult? {
        if isEmpty { return nil }
        return entries.withLock { $0[ExactString(sql)]?.result(arguments) }
    }

    /// Returns the result of a statement, and creates it if necessary.
    func make(_ sql: String, _ arguments: BoundArguments, ledger: CommitLedger) -> LiveResult {
        let new = LiveResult(sql, arguments.values, ledger: ledger)
        return entries.withLock { entries in
            if let known = entries[ExactString(sql)]?.result(arguments) { return known }
            entries = entries.compactMapValues { entries in
                let rest = entries.filter { $0.result != nil }
                return rest.isEmpty ? nil : rest
            }
            entries[ExactString(sql), default: []].append(Entry(result: new))
            return new
        }
    }

    func didCreate() { count.add(1, ordering: .relaxed) }

    func didRelease(byteCount: Int) {
        count.subtract(1, ordering: .relaxed)
        didChange(byteCount: -byteCount)
    }

    func didChange(byteCount difference: Int) { bytes.add(difference, ordering: .relaxed) }
}

extension [LiveResults.Entry] {
    fileprivate func result(_ arguments: BoundArguments) -> LiveResult? {
        lazy.compactMap(\.result).first { arguments.isIdentical(to: $0.arguments) }
    }
}
