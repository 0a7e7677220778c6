public import VigilEngine

extension Database {
    /// The resolution of a constraint violation.
    ///
    /// ```swift
    /// t.column("email", .text).unique(onConflict: .replace)
    /// ```
    ///
    /// See <https://www.sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: String, Sendable {
        /// The statement fails, and the transaction is rolled back.
        case rollback = "ROLLBACK"
        /// The statement fails, and its own changes are undone. This is SQLite's default.
        case abort = "ABORT"
        /// The statement fails, and its changes before the violation are kept.
        case fail = "FAIL"
        /// The row is skipped.
        case ignore = "IGNORE"
        /// The rows causing the violation are deleted.
        case replace = "REPLACE"
    }
}
