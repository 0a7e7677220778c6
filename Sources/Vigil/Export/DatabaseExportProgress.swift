/// The progress of an export.
///
/// ```swift
/// try dbQueue.export(to: path, configuration: encrypted) { progress in
///     if isCancelled { throw CancellationError() }
///     report(Double(progress.completedRowCount) / Double(max(1, progress.totalRowCount)))
/// }
/// ```
public struct DatabaseExportProgress: Sendable {
    /// The name of the table that is being copied; `nil` after the last row, while indexes are built, and at the end.
    public let tableName: String?
    /// The number of rows that were copied.
    public let completedRowCount: Int
    /// The number of rows of all tables.
    public let totalRowCount: Int
    /// Whether the new file is complete, and in place.
    public let isCompleted: Bool
}
