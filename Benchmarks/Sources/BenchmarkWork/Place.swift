/// A kind of database.
public enum Place: Sendable {
    /// A `DatabaseQueue` in memory.
    case memory
    /// A `DatabaseQueue` on a file with a write-ahead log.
    case queue
    /// A `DatabasePool` on a file.
    case pool
}
