public import VigilEngine
import VigilStorage

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

extension Database.ConflictResolution {
    /// Returns the word or words of an INSERT, and the text after it. Other clauses cannot follow the text,
    /// except `RETURNING`.
    ///
    /// - Throws: `SQLITE_MISUSE` if the dialect lacks the resolution.
    func insertion(_ dialect: SQLDialect.ConflictResolution) throws -> (verb: String, suffix: String) {
        if dialect == .doNothing, self == .ignore { return ("INSERT", " ON CONFLICT DO NOTHING") }
        return ("INSERT\(try orClause(dialect))", "")
    }

    /// Returns the clause ` OR …` of an UPDATE or INSERT; empty for the default.
    ///
    /// - Throws: `SQLITE_MISUSE` if the dialect lacks the resolution.
    func orClause(_ dialect: SQLDialect.ConflictResolution) throws -> String {
        switch (dialect, self) {
        case (_, .abort): return ""
        case (.allClauses, _): return " OR \(rawValue)"
        case (.doNothing, _): throw unsupportedError
        }
    }

    fileprivate var unsupportedError: DatabaseError {
        DatabaseError.isUnsupported("the conflict resolution \(rawValue.lowercased()) here: use abort")
    }
}

extension Database.ConflictResolution? {
    /// Returns the clause ` ON CONFLICT …` of a constraint; empty without a resolution.
    ///
    /// - Throws: `SQLITE_MISUSE` if the dialect lacks the resolution.
    func constraintClause(_ dialect: SQLDialect) throws -> String {
        switch (dialect.conflictResolution, self) {
        case (_, nil), (.doNothing, .abort): return ""
        case (.allClauses, let resolution?): return " ON CONFLICT \(resolution.rawValue)"
        case (.doNothing, let resolution?): throw resolution.unsupportedError
        }
    }

    /// Returns the clause ` ON CONFLICT …` of a constraint; empty without a resolution, and for the default.
    ///
    /// - Throws: `SQLITE_MISUSE` if the dialect lacks the resolution.
    func shortConstraintClause(_ dialect: SQLDialect) throws -> String {
        self == .abort ? "" : try constraintClause(dialect)
    }
}
