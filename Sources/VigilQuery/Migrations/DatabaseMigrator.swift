public import VigilEngine

/// Registers migrations, and applies them to databases.
///
/// ```swift
/// var migrator = DatabaseMigrator()
/// migrator.registerMigration("v1") { db in
///     try db.create(table: "player") { t in
///         t.autoIncrementedPrimaryKey("id")
///         t.column("name", .text).notNull()
///     }
/// }
/// migrator.registerMigration("v2") { db in
///     try db.alter(table: "player") { t in
///         t.add(column: "score", .integer).notNull().defaults(to: 0)
///     }
/// }
/// try migrator.migrate(dbPool)
/// ```
///
/// Migrations are applied in the order of their registration. Each runs once, in its own transaction, and its
/// identifier is recorded in the table `vigil_migrations` by the same transaction. If a migration fails, it
/// is rolled back, and the migrations before it stay applied.
///
/// Do not change a migration once it has run on users' databases: it will not run there again. Register
/// another one.
///
/// Running observations continue. Value observations fetch once, after the last migration; they do not see
/// the states in between.
///
/// The identifiers in a table `grdb_migrations`, left by GRDB, count as applied: they are copied, and the
/// table stays. As long as it exists, applied migrations are recorded in both tables, so the app can return
/// to GRDB.
public struct DatabaseMigrator: Sendable {
    /// How a migration checks foreign keys.
    public enum ForeignKeyChecks: Sendable {
        /// Foreign keys are not enforced while the migration runs, and all of them are checked before its
        /// commit, unless the migrator is the result of
        /// ``DatabaseMigrator/disablingDeferredForeignKeyChecks()``.
        ///
        /// Such a migration can replace a table with foreign keys referring to it: create the new table, copy
        /// the rows, drop the old table, rename the new one.
        case deferred
        /// Foreign keys are enforced while the migration runs.
        ///
        /// Faster for large databases, because only the changed rows are checked. Not suitable for dropping a
        /// table with foreign keys referring to it.
        case immediate
    }

    /// Whether to erase the database and apply all migrations again when the definitions of the applied
    /// migrations have changed. See ``hasSchemaChanges(_:)``.
    ///
    /// Useful while an app is developed. **It deletes all data**: do not set it in a released app.
    ///
    /// ```swift
    /// #if DEBUG
    /// migrator.eraseDatabaseOnSchemaChange = true
    /// #endif
    /// ```
    ///
    /// Running value observations fetch once, after the last migration. They end with an error if their
    /// tables no longer exist.
    public var eraseDatabaseOnSchemaChange = false

    private(set) var registered: [Migration] = []
    private var checksDeferredForeignKeys = true
    /// The first mistake in the registrations, thrown when the migrations are applied.
    private var mistake: String?

    /// Creates a migrator without migrations.
    public init() {}

    // MARK: - Registering

    /// Registers a migration, to run after the ones already registered.
    ///
    /// - Parameters:
    ///   - identifier: the unique name of the migration. It must never change. If it is registered twice,
    ///     applying the migrations throws `SQLITE_MISUSE`.
    ///   - foreignKeyChecks: how foreign keys are checked, if the configuration enables them.
    ///   - migrate: the migration. It runs in a transaction on the writer, without concurrent reads. If it
    ///     throws, the transaction is rolled back and the migrator stops.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        migrate: @escaping @Sendable (Database) throws -> Void
    ) {
        registerMigration(identifier, foreignKeyChecks: foreignKeyChecks, merging: []) { db, _ in
            try migrate(db)
        }
    }

    /// Registers a migration that replaces older ones. They must no longer be registered.
    ///
    /// ```swift
    /// migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, appliedIdentifiers in
    ///     if !appliedIdentifiers.contains("v1") { … }
    ///     if !appliedIdentifiers.contains("v2") { … }
    ///     …
    /// }
    /// ```
    ///
    /// The identifiers of the merged migrations are removed from the database. If the migration itself is
    /// already applied, it does not run again.
    ///
    /// - Parameters:
    ///   - identifier: the unique name of the migration: a new name, or the name of the last merged
    ///     migration.
    ///   - foreignKeyChecks: how foreign keys are checked, if the configuration enables them.
    ///   - mergedIdentifiers: the identifiers of the merged migrations.
    ///   - migrate: the migration. It receives the identifiers of the merged migrations applied already.
    public mutating func registerMigration(
        _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
        merging mergedIdentifiers: Set<String> = [],
        migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
    ) {
        guard !migrations.contains(identifier) else {
            mistake = mistake ?? "the migration \(identifier) is registered more than once"
            return
        }
        let checks: Migration.Checks =
            switch foreignKeyChecks {
            case .immediate: .immediate
            case .deferred: checksDeferredForeignKeys ? .deferred : .none
            }
        registered.append(
            Migration(
                identifier: identifier, mergedIdentifiers: mergedIdentifiers.subtracting([identifier]),
                checks: checks, migrate: migrate))
    }

    /// Returns a migrator that skips the foreign key checks of migrations with ``ForeignKeyChecks/deferred``
    /// checks registered from now on.
    ///
    /// Checking all foreign keys of a large database takes time. Without the checks, the migrations must not
    /// leave rows with references to missing rows: check the affected tables with `checkForeignKeys(in:in:)`,
    /// or prefer ``ForeignKeyChecks/immediate`` if possible.
    public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
        var migrator = self
        migrator.checksDeferredForeignKeys = false
        return migrator
    }

    // MARK: - Migrating

    /// Applies all pending migrations.
    ///
    /// Waits for running reads, and delays new ones. If nothing is left to do, the database is not written.
    ///
    /// - Throws: the error of the first failing migration; `DatabaseError` if the database cannot be read or
    ///   written, with `SQLITE_CONSTRAINT_FOREIGNKEY` if a migration breaks a foreign key, and with
    ///   `SQLITE_MISUSE` if two migrations have the same identifier.
    public func migrate(_ writer: any DatabaseWriter) throws {
        try checkRegistrations()
        guard let last = registered.last else { return }
        try migrate(writer, upTo: last.identifier)
    }

    /// Applies the pending migrations, up to and including the given one.
    ///
    /// - Throws: the errors of ``migrate(_:)``, and `DatabaseError` with `SQLITE_MISUSE` if the migration is
    ///   not registered, or if a later one is applied already.
    public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
        try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: targetIdentifier) }
    }

    /// Applies the pending migrations asynchronously.
    ///
    /// ```swift
    /// try await migrator.runMigrations(in: dbPool)
    /// ```
    ///
    /// If the task is cancelled, the running migration is rolled back.
    ///
    /// - Parameters:
    ///   - writer: the database to migrate.
    ///   - targetIdentifier: the last migration to apply. By default, the last registered one.
    /// - Throws: the errors of ``migrate(_:)`` and ``migrate(_:upTo:)``; `CancellationError` if the task is
    ///   cancelled.
    public func runMigrations(in writer: any DatabaseWriter, upTo targetIdentifier: String? = nil)
        async throws
    {
        try checkRegistrations()
        guard let target = targetIdentifier ?? registered.last?.identifier else { return }
        try await writer.barrierWriteWithoutTransaction { try migrate($0, upTo: target) }
    }

    /// Schedules the pending migrations, and returns immediately.
    ///
    /// - Parameters:
    ///   - writer: the database to migrate.
    ///   - completion: a closure called once, on the writer's dispatch queue, before any other access: with
    ///     the migrated database, or with the errors of ``migrate(_:)``.
    public func asyncMigrate(
        _ writer: any DatabaseWriter,
        completion: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.asyncBarrierWriteWithoutTransaction { access in
            completion(
                access.flatMap { db in
                    Result {
                        try checkRegistrations()
                        if let last = registered.last { try migrate(db, upTo: last.identifier) }
                        return db
                    }
                })
        }
    }

    private func migrate(_ db: Database, upTo target: String) throws {
        try checkRegistrations()
        guard !db.isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a database cannot be migrated inside a transaction: end it first")
        }
        try db.holdingMigrationLock {
            try db.postponingFetches { try migrateExclusively(db, upTo: target) }
        }
    }

    private func migrateExclusively(_ db: Database, upTo target: String) throws {
        if eraseDatabaseOnSchemaChange, try hasSchemaChanges(db) {
            try AppliedMigrations.eraseDatabase(db)
        }
        try runMigrations(db, upTo: target)
    }

    /// Runs the pending migrations, up to and including the given one.
    func runMigrations(_ db: Database, upTo target: String) throws {
        let pending = try pendingMigrations(upTo: target, applied: AppliedMigrations.identifiers(db))
        if !pending.isEmpty || !db.configuration.readonly { try AppliedMigrations.prepare(db) }
        for migration in pending { try migration.run(db) }
    }

    /// Returns the migrations to run, including applied ones with identifiers of merged migrations to remove.
    private func pendingMigrations(upTo target: String, applied: Set<String>) throws -> [Migration] {
        guard let index = migrations.firstIndex(of: target) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the migration \(target) is not registered: register it, or check its name")
        }
        if let later = registered[(index + 1)...].first(where: { applied.contains($0.identifier) }) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    the database cannot be migrated up to \(target): the later migration \(later.identifier) is \
                    already applied
                    """)
        }
        return registered[...index].filter { migration in
            !applied.contains(migration.identifier)
                || !migration.mergedIdentifiers.isDisjoint(with: applied)
        }
    }

    func checkRegistrations() throws {
        if let mistake { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: mistake) }
    }
}

extension DatabaseMigrator {
    /// Returns the beginning of a migration for a subscription to its end.
    ///
    /// Once requested, the migration takes place even if the subscription is cancelled.
    package func migrateForSubscription(_ writer: any DatabaseWriter) -> AccessSubscription<Void>.Begin {
        { subscription in
            asyncMigrate(writer) { result in subscription.complete(with: result.map { _ in }) }
        }
    }
}
