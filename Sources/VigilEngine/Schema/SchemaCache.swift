import VigilRegions
import VigilStorage

/// Cached information about the schema. It is discarded as a whole when the schema changes.
struct SchemaCache {
    var tables: [TableName: StorageTable] = [:]
    /// The databases, in the order of the look-up of unqualified names.
    var schemaNames: [String]?
    var objects: [DatabaseSchemaID: [StorageSchemaObject]] = [:]
    /// Missing tables are cached as well, as an inner `nil`.
    var columns: [TableName: [ColumnInfo]?] = [:]
    var primaryKeys: [TableName: PrimaryKeyInfo?] = [:]
    var indexes: [TableName: [IndexInfo]?] = [:]
    var foreignKeys: [TableName: [ForeignKeyInfo]?] = [:]
    /// Results computed from the schema for requests and records, by table name and by record type.
    var derivedByName: [ExactString: AnyObject] = [:]
    /// The last result found by name. The same table is often requested several times in a row, and is then
    /// found without hashing.
    var latestDerivedByName: (name: String, object: AnyObject)?
    var derivedByType = DerivedSchemaObjects()
    /// The attached databases that some of the derived objects depend on.
    var attachedSchemas: [ObjectIdentifier: Set<DatabaseSchemaID>] = [:]
    var unions = RegionUnions()
    /// The region of the last fetch, and its observable part.
    var lastObservable: (region: DatabaseRegion, observable: DatabaseRegion)?
    /// The tables described by the cache, including missing ones, if their versions can be read.
    var versionedTables: Set<TableName> = []
    /// The version of ``versionedTables``.
    var version: TablesVersion?
    /// The number of tables above which it takes less time to read the used ones again than to check all of
    /// them.
    static let versionedTableLimit = 250
}

/// A connection's view of the schema: cached information, and the version that it describes.
struct ConnectionSchema {
    var cache = SchemaCache()
    /// The schema version of the main database. The temporary one has none, because only this connection can
    /// change it.
    var version: Int64?
    /// Whether ``version`` is up to date. While it is, only the connection's own statements can change the
    /// schema, and they invalidate the cache.
    var isCurrent = false {
        didSet {
            if !isCurrent, !currentAttached.isEmpty { currentAttached = [] }
        }
    }
    /// The schema versions of attached databases, as of the last use of their schemas.
    var attachedVersions: [DatabaseSchemaID: Int64] = [:]
    /// The databases whose ``attachedVersions`` are up to date.
    var currentAttached: Set<DatabaseSchemaID> = []
    /// The attached databases whose schemas were used. See ``Database/notingAttachedSchemas(_:)``.
    var usedAttached: Set<DatabaseSchemaID> = []
    /// Whether the schema has changed in the open transaction: a rollback changes it back.
    var hasChanged = false
    /// The number of schema changes by this connection, or noticed by it, and of rollbacks of such changes.
    var changeCount = 0
    /// The source of schema information that the database itself lacks. See ``Database/schemaSource``.
    var source: (any DatabaseSchemaSource)?
}

/// Identifies the schema of a connection's databases. Results that were derived from the schema are derived
/// again after a change.
///
/// It may differ although the schema is the same, never the reverse.
struct SchemaState: Equatable {
    fileprivate let version: Int64?
    fileprivate let attachedVersions: [DatabaseSchemaID: Int64]
    /// Covers the temporary schema, because it has no version, and the versions of tables.
    fileprivate let changeCount: Int
}

extension Database {
    /// Returns the state of the main and the temporary schema that statements see.
    func schemaState() throws -> SchemaState {
        try checkSchema()
        return SchemaState(version: schema.version, attachedVersions: [:], changeCount: schema.changeCount)
    }

    /// The state of all schemas, without changes by other connections since they were last used.
    var knownSchemaState: SchemaState {
        SchemaState(
            version: schema.version, attachedVersions: schema.attachedVersions,
            changeCount: schema.changeCount)
    }

    /// Returns the version number of the main database's schema. It changes with each change of the schema by
    /// any connection.
    ///
    /// - Throws: `DatabaseError` if it cannot be read.
    public func schemaVersion() throws -> Int32 {
        let reader = try schemaReader()
        recordSchemas([SchemaNaming.main])
        return try storage { () throws(StorageError) in
            Int32(truncatingIfNeeded: try reader.schemaVersion(of: SchemaNaming.main))
        }
    }

    /// Clears the cached schema. You need not call this method: Vigil detects changes by all connections.
    public func clearSchemaCache() {
        schemaDidChange()
    }

    /// Clears the cache, and the cached statements, if another connection has changed the schema of the main
    /// database. Must be called before either is used.
    ///
    /// Inside a transaction only the first call has a cost, because the schema cannot change until the
    /// transaction ends.
    func checkSchema() throws {
        guard !schema.isCurrent, let reader = schemaReading else { return }
        if let server { return try checkCachedTables(server) }
        let version = try storage { () throws(StorageError) -> Int64 in
            // Observers of a database that is detached are notified by its name.
            _ = try knownSchemaNames(reader)
            return try reader.schemaVersion(of: SchemaNaming.main)
        }
        if version != schema.version {
            discardOutdatedSchema()
            schema.version = version
        }
        schema.isCurrent = isInsideTransaction
    }

    /// Does the same, also for an attached database. Must be called before the use of cached information
    /// about it, and only then: reading its version locks its file until the end of the transaction.
    func checkSchema(of name: String) throws {
        try checkSchema()
        try checkAttachedSchema(name)
    }

    private func checkAttachedSchema(_ name: String) throws {
        guard roles.server == nil, !name.isMainOrTemporary, let reader = schemaReading else { return }
        let id = DatabaseSchemaID(name: name)
        schema.usedAttached.insert(id)
        guard !schema.currentAttached.contains(id) else { return }
        let version = try storage { () throws(StorageError) -> Int64? in
            let names = try knownSchemaNames(reader)
            guard names.contains(where: { $0.isSameName(as: name) }) else { return nil }
            return try reader.schemaVersion(of: name)
        }
        guard let version else { return }
        if version != schema.attachedVersions[id] {
            discardOutdatedSchema()
            schema.attachedVersions[id] = version
        }
        if isInsideTransaction { schema.currentAttached.insert(id) }
    }

    /// Does the same for several attached databases.
    func checkSchemas(of attached: Set<DatabaseSchemaID>) throws {
        try checkSchema()
        for id in attached { try checkAttachedSchema(id.name) }
    }

    /// Returns whether other connections have changed the schemas of attached databases. The cache and the
    /// cached statements are then cleared.
    func haveChanged(_ attached: Set<DatabaseSchemaID>) throws -> Bool {
        if attached.isEmpty { return false }
        let state = knownSchemaState
        try checkSchemas(of: attached)
        return state != knownSchemaState
    }

    /// Returns the result of `body`, and the attached databases whose schemas it used.
    func notingAttachedSchemas<T>(_ body: () throws -> T) rethrows -> (
        result: T, attached: Set<DatabaseSchemaID>
    ) {
        let outer = schema.usedAttached
        schema.usedAttached = []
        defer { schema.usedAttached.formUnion(outer) }
        let result = try body()
        return (result, schema.usedAttached)
    }

    /// Does the same for `body` that compiles statements. Runs it again if it notices that other connections
    /// have changed the schemas of attached databases: it has compiled statements for the old ones.
    func notingCurrentAttachedSchemas<T>(_ body: () throws -> T) rethrows -> (
        result: T, attached: Set<DatabaseSchemaID>
    ) {
        let versions = schema.attachedVersions
        let (result, attached) = try notingAttachedSchemas(body)
        if versions == schema.attachedVersions { return (result, attached) }
        return try notingAttachedSchemas(body)
    }

    /// Clears the cache and the cached statements after a change by another connection.
    private func discardOutdatedSchema() {
        let names = schema.cache.schemaNames
        schema.cache = SchemaCache()
        schema.cache.schemaNames = names
        removeCachedStatements()
    }

    /// Discards the cache if its tables have changed, or if names are looked up in other schemas.
    private func checkCachedTables(_ server: any ServerConnection) throws {
        let known = schema.cache.version
        if schema.cache.versionedTables.isEmpty {
            schema.cache.schemaNames = nil
        } else if schema.cache.versionedTables.count > SchemaCache.versionedTableLimit {
            discardSchemaCache()
        } else {
            let version = try storage { () throws(StorageError) in
                try server.version(of: Array(schema.cache.versionedTables))
            }
            if version != known { discardSchemaCache() }
            // The server looks up the names in a kept text again if only the schemas differ.
            if version.number != known?.number { removeCachedStatements() }
        }
        schema.isCurrent = isInsideTransaction
    }

    /// Adds a table to the cached ones. Must be called before anything is read for the cache: if the table
    /// changes in between, the next check discards the cache.
    func willCache(_ table: TableName) throws {
        guard let server, !schema.cache.versionedTables.contains(table) else { return }
        let version = try storage { () throws(StorageError) in try server.version(of: [table]) }
        if let known = schema.cache.version, known.searchPath != version.searchPath { discardSchemaCache() }
        schema.cache.version = TablesVersion(
            searchPath: version.searchPath, number: version.number &+ (schema.cache.version?.number ?? 0))
        schema.cache.versionedTables.insert(table)
    }

    /// Returns whether information about a table, read after ``willCache(_:)``, can be cached: the cache may
    /// have been discarded since.
    func mayCache(_ table: TableName) -> Bool {
        roles.server == nil || schema.cache.versionedTables.contains(table)
    }

    /// Clears the cache, because its tables may not be the same when they are read again.
    func discardSchemaCache() {
        schema.cache = SchemaCache()
        if roles.server != nil { schema.changeCount += 1 }
    }

    /// The name in SQL of the main schema, unquoted.
    package var mainSchema: String {
        checkConfinement()
        return roles.dialect?.mainSchema ?? SchemaNaming.main
    }

    func schemaReader() throws -> any SchemaReading {
        guard let reader = schemaReading else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the backend does not support reading the schema")
        }
        return reader
    }

    /// Returns the names of the databases. Only the connection itself attaches and detaches databases, and
    /// then clears the cache.
    func knownSchemaNames(_ reader: any SchemaReading) throws(StorageError) -> [String] {
        if let names = schema.cache.schemaNames { return names }
        let names = try reader.schemaNames()
        schema.cache.schemaNames = names
        return names
    }
}
