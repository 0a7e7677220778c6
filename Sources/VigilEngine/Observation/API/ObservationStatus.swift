public import VigilRegions

/// A snapshot of a running observation's activity and counters, for debugging and monitoring.
///
/// ```swift
/// for status in dbPool.observations where status.phase == .fetching {
///     print(status.label, status.fetchCount, status.fetchTime)
/// }
/// ```
///
/// See ``DatabaseReader/observations``.
public struct ObservationStatus: Sendable {
    /// The current activity of an observation.
    public enum Phase: Sendable, Hashable {
        /// No fetch is scheduled or running, and no value is being delivered.
        case observing
        /// A fetch is scheduled, and has not begun.
        case waitingToFetch
        /// A fetch is running.
        case fetching
        /// A fetched value is being reduced or delivered, and the consumer has not returned.
        case delivering
        /// The observation is paused: it does not fetch changes. See ``ObservationPause``.
        case paused
    }

    /// The name set with ``ValueObservation/labeled(_:)``, or else the SQL or the table of the request, or
    /// else the type of the values.
    public let label: String
    /// The current activity.
    public let phase: Phase
    /// The observed region, `nil` before the first fetch and in databases that cannot change.
    public let region: DatabaseRegion?
    /// The number of commits in the region. Commits may not be counted while the observation is paused, or
    /// while its consumer accepts no values.
    public let changeCount: Int
    /// The number of fetches.
    public let fetchCount: Int
    /// The number of values fetched by an equal observation.
    public let sharedFetchCount: Int
    /// The number of values passed to `onChange`.
    public let notificationCount: Int
    /// The number of skipped values: equal to the previous ones, or an initial value without delivery.
    public let skippedCount: Int
    /// The total duration of all fetches.
    public let fetchTime: Duration
    /// The commit of the last fetched value, `nil` before the first fetch.
    public let lastCommit: CommitNumber?
    /// The last change in the region; `nil` before it.
    public let lastTrigger: ObservationTrigger?
    /// The error of the last fetch, which will be repeated; `nil` if the last fetch succeeded.
    ///
    /// Fetches are repeated after pauses from 20 ms to 2 s. On a server, they are repeated if the connection
    /// was lost, a lock or a statement took too long, or the server lacked a resource. On SQLite, they are
    /// repeated if another program has locked a database with observed foreign changes, and if the task of
    /// the write before them was cancelled.
    public let postponingError: (any Error)?
    /// Why each commit by another connection, or by anyone on a server, counts as a change of the whole
    /// database. It is `nil` if the changes of commits are known, and if such commits are not observed.
    ///
    /// Changes of this property are logged. A single commit may count as a change of the whole database for
    /// another reason, such as a change of the schema: the log contains it at the level `debug`.
    public let coarseReason: String?
    /// How the list is kept up to date, `nil` for observations of other values.
    public let list: ListStatistics?
    /// The results of statements that are, or may soon be, kept up to date row by row. See
    /// ``Configuration/keepsLiveResults``.
    public let results: [ResultStatistics]
}
