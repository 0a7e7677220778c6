/// The progress of a backup.
public struct DatabaseBackupProgress: Sendable {
    /// The number of pages that remain to be copied.
    public let remainingPageCount: Int

    /// The number of pages in the source database. It can grow during the backup.
    public let totalPageCount: Int

    /// Whether the backup is complete.
    public let isCompleted: Bool

    /// The number of pages that were copied.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }
}
