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

    /// The name set with ``ValueObservation/labeled(_:)``, or else the SQL of the request, or else the type
    /// of the values.
    public let label: String
    /// The current activity.
    public let phase: Phase
    /// The observed region, `nil` before the first fetch and in databases that cannot change.
    public let region: DatabaseRegion?
    /// The number of commits that modified the region. Commits may not be counted while the observation is
    /// paused, or while its consumer accepts no values.
    public let changeCount: Int
    /// The number of fetches.
    public let fetchCount: Int
    /// The number of values that were fetched by an equal observation.
    public let sharedFetchCount: Int
    /// The number of values that were passed to `onChange`.
    public let notificationCount: Int
    /// The number of fetched values that were skipped, because they were equal to the previous ones or
    /// because the initial value is not delivered.
    public let skippedCount: Int
    /// The total duration of all fetches.
    public let fetchTime: Duration
    /// The commit as of which the last value was fetched, `nil` before the first fetch.
    public let lastCommit: CommitNumber?
    /// The last change that modified the region, `nil` if there was none.
    public let lastTrigger: ObservationTrigger?
    /// The error because of which the last fetch will be repeated; `nil` if the last fetch succeeded.
    ///
    /// Fetches from a server are repeated, after pauses that grow from 20 ms to 2 s, if the connection was
    /// lost, a lock or a statement took too long, or the server lacked a resource.
    public let postponingError: (any Error)?
    /// Why each commit counts as a change of the whole database; `nil` if the changes of commits are known.
    public let coarseReason: String?
    /// How the list is kept up to date, `nil` for observations of other values.
    public let list: ListStatistics?
}
