/// The result of a look at a server: which commits a snapshot sees that begins now.
struct ServerLook: Equatable, Sendable {
    /// A description of all visible commits: it differs after each commit that writes.
    struct State: Equatable, Sendable {
        /// The number of the feed's session. While there was none, commits may have been made, also by
        /// another server.
        var session = 0
        /// Whether the server replays the log of another one. It can become a primary at any time.
        var isStandby = false
        /// The text of `pg_current_snapshot()`. On a standby, snapshots do not list the running transactions,
        /// and a commit may leave the text as it is; the replay position takes its place.
        var text: String
        /// The run of the server, see ``SessionIdentity/server``.
        var server = ""
    }

    var state: State
    /// The end of the write-ahead log; `nil` on a standby, and without `wal_level = logical`. Aurora refuses
    /// the question at other levels, and only a stream needs the answer.
    var position: UInt64?

    static let sql = """
        SELECT pg_is_in_recovery(),
            CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text ELSE pg_current_snapshot()::text END,
            CASE WHEN NOT pg_is_in_recovery() AND current_setting('wal_level') = 'logical'
                THEN pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text END,
            \(SessionIdentity.serverColumn)
        """

    /// The snapshot; `nil` on a standby.
    var snapshot: ServerSnapshot? { state.isStandby ? nil : ServerSnapshot(state.text) }
}

/// A snapshot of a primary server, as `pg_current_snapshot()` describes it: `xmin:xmax:xip,…`.
struct ServerSnapshot: Equatable, Sendable {
    /// All transactions before this one have ended.
    private(set) var xmin: UInt64
    /// This transaction and all after it had not ended.
    private(set) var xmax: UInt64
    /// The transactions in between that had not ended.
    private var running: Set<UInt64> = []

    /// Reads the text of a snapshot; returns `nil` for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let xmin = UInt64(parts[0]), let xmax = UInt64(parts[1]), xmin <= xmax else {
            return nil
        }
        (self.xmin, self.xmax) = (xmin, xmax)
        for number in parts[2].split(separator: ",", omittingEmptySubsequences: false) where parts[2] != "" {
            guard let number = UInt64(number) else { return nil }
            running.insert(number)
        }
    }

    /// Returns whether the snapshot sees the effects of a committed transaction.
    func sees(_ transaction: UInt64) -> Bool {
        transaction < xmin || transaction < xmax && !running.contains(transaction)
    }

    /// Returns the complete number of a recent transaction, of which the stream sends the lower half.
    func completed(_ transaction: UInt32) -> UInt64 {
        // The nearest one to `xmax`: the numbers of recent transactions differ by less than 2³¹.
        let distance = Int64(Int32(bitPattern: transaction &- UInt32(truncatingIfNeeded: xmax)))
        return xmax.addingReportingOverflow(UInt64(bitPattern: distance)).partialValue
    }
}
