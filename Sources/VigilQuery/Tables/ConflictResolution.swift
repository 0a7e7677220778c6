public import VigilEngine

extension Database {
    /// What happens when a row violates a constraint.
    ///
    /// See <https://www.sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: String, Sendable {
        /// The statement fails, and the transaction is rolled back.
        case rollback = "ROLLBACK"
        /// The statement fails, and what it changed is undone. The default.
        case abort = "ABORT"
        /// The statement fails, and what it changed before stays.
        case fail = "FAIL"
        /// The row is skipped.
        case ignore = "IGNORE"
        /// The rows in the way are deleted.
        case replace = "REPLACE"
    }
}
