import Foundation
public import VigilEngine
import VigilStorage

extension DatabaseMigrator {
    /// The identifiers of the registered migrations, in the order of their registration.
    public var migrations: [String] { registered.map(\.identifier) }

    /// Returns the identifiers of the applied registered migrations, in the order of their registration.
    ///
    /// - Throws: `DatabaseError` if the database cannot be read.
    public func appliedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return migrations.filter(applied.contains)
    }

    /// Returns the identifiers of all applied migrations, including unregistered ones.
    ///
    /// - Throws: `DatabaseError` if the database cannot be read.
    public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
        try AppliedMigrations.identifiers(db)
    }

    /// Returns the identifiers of registered migrations applied along with all before them, in their order.
    ///
    /// - Throws: `DatabaseError` if the database cannot be read.
    public func completedMigrations(_ db: Database) throws -> [String] {
        let applied = try appliedIdentifiers(db)
        return Array(migrations.prefix(while: applied.contains))
    }

    /// Returns whether all registered migrations are applied.
    ///
    /// - Throws: `DatabaseError` if the database cannot be read.
    public func hasCompletedMigrations(_ db: Database) throws -> Bool {
        try appliedIdentifiers(db).isSuperset(of: migrations)
    }

    /// Returns whether unregistered migrations are applied, probably by a newer version of the app.
    ///
    /// Migrations merged into a registered one count as registered.
    ///
    /// ```swift
    /// if try dbPool.read(migrator.hasBeenSuperseded) {
    ///     // Ask the user to update the app.
    /// }
    /// ```
    ///
    /// - Throws: `DatabaseError` if the database cannot be read.
    public func hasBeenSuperseded(_ db: Database) throws -> Bool {
        try !appliedIdentifiers(db).isSubset(of: knownIdentifiers)
    }

    /// The identifiers of the registered migrations, and of the ones merged into them.
    private var knownIdentifiers: Set<String> {
        registered.reduce(into: Set(migrations)) { $0.formUnion($1.mergedIdentifiers) }
    }

    /// Returns whether the definitions of the applied migrations have changed since they were applied.
    ///
    /// They have changed if a migration was renamed or removed, or if applying the same migrations to a new
    /// database leads to another schema. The new database is a temporary file, or in memory if this database
    /// is. It is discarded.
    ///
    /// Nothing is compared, and the result is `false`, while a registered migration is to replace applied
    /// ones: the definitions of merged migrations are not registered.
    ///
    /// - Throws: the error of a migration failing in the new database, or `DatabaseError`.
    public func hasSchemaChanges(_ db: Database) throws -> Bool {
        try checkRegistrations()
        let applied = try appliedIdentifiers(db)
        guard applied.isSubset(of: knownIdentifiers) else { return true }
        let replacesApplied = registered.contains { migration in
            !applied.contains(migration.identifier)
                && !migration.mergedIdentifiers.isDisjoint(with: applied)
        }
        guard !replacesApplied else { return false }
        guard let last = migrations.last(where: applied.contains) else { return false }
        return try schema(of: db) != schema(afterMigrationsUpTo: last, like: db)
    }

    /// Returns the schema of a new database after the migrations.
    private func schema(afterMigrationsUpTo target: String, like db: Database) throws -> Set<SchemaObject> {
        try db.requireInDialect(.temporaryDatabases)
        guard let backend = db.configuration.backend else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the backend of the database is not known")
        }
        var configuration = db.configuration
        configuration.readonly = false
        configuration.foreignChanges = .ignored
        configuration.observesSuspensionNotifications = false
        configuration.label = "Vigil.DatabaseMigrator.comparison"
        // The caller may be running on these queues.
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        // The preparation of a connection may require a file, such as for a write-ahead log.
        let directory = (try? db.embedded?.openFile()) == nil ? nil : try PrivateDirectory()
        defer { directory?.remove() }
        let comparison = try DatabaseQueue(
            backend: backend,
            location: directory.map { .file(path: $0.path + "/comparison.sqlite") } ?? .memory(name: nil),
            configuration: configuration)
        defer { try? comparison.close() }
        return try comparison.inDatabase { db in
            try runMigrations(db, upTo: target)
            return try schema(of: db)
        }
    }

    /// Returns the schema objects created by migrations.
    private func schema(of db: Database) throws -> Set<SchemaObject> {
        let objects = try db.schemaObjects(in: SchemaNaming.main).filter { object in
            !db.schemaNaming.isInternal(object.name) && !AppliedMigrations.contains(object.tableName)
        }
        return Set(objects.map(SchemaObject.init))
    }
}

/// A new temporary directory without access for other users.
private struct PrivateDirectory {
    let path: String

    /// - Throws: `SQLITE_CANTOPEN` if the directory cannot be created.
    init() throws {
        var template = Array((NSTemporaryDirectory() + "/vigil-XXXXXX").utf8CString)
        let created = template.withUnsafeMutableBufferPointer { bytes in
            bytes.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let created else {
            let reason = String(cString: strerror(errno))
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "cannot create a temporary directory (\(reason))")
        }
        path = created
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A schema object. It equals another one if its definition has the same bytes.
private struct SchemaObject: Hashable {
    let kind: StorageSchemaObject.Kind
    let name: ExactString
    let tableName: ExactString
    let sql: ExactString?

    init(_ object: StorageSchemaObject) {
        kind = object.kind
        name = ExactString(object.name)
        tableName = ExactString(object.tableName)
        sql = object.sql.map { ExactString($0) }
    }
}
