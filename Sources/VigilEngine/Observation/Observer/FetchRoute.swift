/// Where the fetches of an observer run. Its host decides once, when the observation starts.
enum FetchRoute {
    /// On the writer, in an access in which the fetch may write.
    case writer
    /// In a round, which fetches for all stale observers in one snapshot: on the only connection of a queue, or on a
    /// reader of a pool.
    case round
    /// In a snapshot of each commit, on a reader of a pool.
    case perCommit
}
