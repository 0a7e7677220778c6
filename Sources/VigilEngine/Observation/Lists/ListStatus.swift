/// How an observation keeps a list up to date, for debugging and monitoring. See ``ObservationStatus/list``.
///
/// ```swift
/// for status in dbPool.observations {
///     if let list = status.list { print(status.label, list.rowFetchCount, list.fullFetchCounts) }
/// }
/// ```
public struct ListStatus: Sendable, Equatable {
    /// The number of fetches of changed rows alone.
    public internal(set) var rowFetchCount = 0
    /// The number of rows that these fetches looked up.
    public internal(set) var fetchedRowCount = 0
    /// The number of fetches of all rows, by their reason, such as `a watched table changed`.
    public internal(set) var fullFetchCounts: [String: Int] = [:]
    /// The number of commits that changed no row of the list.
    public internal(set) var unchangedCount = 0
    /// Why the list is fetched as a whole after each change; `nil` if it is updated row by row.
    public internal(set) var unfollowedReason: String?
    /// The number of times that a list differed from the rows in the database. See
    /// ``Configuration/listVerificationInterval``.
    public internal(set) var mismatchCount = 0

    init() {}
}
