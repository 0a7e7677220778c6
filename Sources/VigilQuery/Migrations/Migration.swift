import VigilEngine

/// A registered migration.
struct Migration: Sendable {
    /// How foreign keys are checked.
    enum Checks: Sendable {
        /// They are not enforced during the migration, and checked before its commit.
        case deferred
        /// They are enforced during the migration.
        case immediate
        /// They are neither enforced nor checked.
        case none
    }

    let identifier: String
    /// The identifiers of the older migrations replaced by this one.
    let mergedIdentifiers: Set<String>
    let checks: Checks
    let migrate: @Sendable (Database, Set<String>) throws -> Void

    /// Runs the migration in a transaction, and records its identifier. Does nothing if another process has
    /// applied the migration in the meantime.
    ///
    /// - Throws: the error of the migration, or `DatabaseError`: with `SQLITE_CONSTRAINT_FOREIGNKEY` if the
    ///   migrated database violates a foreign key. The transaction is then rolled back.
    func run(_ db: Database) throws {
        let checks = try db.enforcesForeignKeys() ? checks : .none
        // A migration must not depend on today's declarations of the primary keys of views.
        try db.withSchemaSource(nil) {
            switch checks {
            case .immediate: try runInTransaction(db, checks)
            case .deferred, .none: try db.withoutForeignKeys { try runInTransaction(db, checks) }
            }
        }
    }

    private func runInTransaction(_ db: Database, _ checks: Checks) throws {
        try db.inTransaction(.immediate) {
            let applied = try AppliedMigrations.identifiers(db)
            if !applied.contains(identifier) {
                try migrate(db, mergedIdentifiers.intersection(applied))
                switch checks {
                case .deferred: try db.checkForeignKeys()
                case .immediate: try db.checkDeferredForeignKeys()
                case .none: break
                }
            }
            try AppliedMigrations.record(self, db)
            return .commit
        }
    }
}
