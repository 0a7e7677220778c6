/// Numbers the states of the database, described by the server with text.
///
/// On a primary, the text of `pg_current_snapshot()` differs after each commit with a write. On a standby,
/// snapshots do not list the running transactions, and a commit may leave the text as it is; the replay
/// position changes instead.
struct CommitTokenSource: Equatable {
    /// Reads the text. A standby can become a primary while a connection is open.
    static let sql = """
        SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text ELSE pg_current_snapshot()::text END
        """

    private var text = ""
    private(set) var number: Int64 = 0

    /// Returns the number of a state: another one than before if the text has changed.
    mutating func number(of text: String) -> Int64 {
        if text != self.text {
            self.text = text
            number += 1
        }
        return number
    }

    /// Commits may have been made while there was no connection, also by another server.
    mutating func didReconnect() {
        text = ""
        number += 1
    }
}
