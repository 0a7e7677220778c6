/// How far a backup has come.
public struct DatabaseBackupProgress: Sendable {
    /// The pages that are still to be copied.
    public let remainingPageCount: Int

    /// The pages of the database that is copied. It can grow meanwhile.
    public let totalPageCount: Int

    /// Whether the copy is complete.
    public let isCompleted: Bool

    /// The pages that were copied.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }
}
