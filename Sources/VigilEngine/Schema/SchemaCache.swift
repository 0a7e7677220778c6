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
    /// The schema versions of the databases, without the temporary one, because only this connection can
    /// change it.
    var versions: [Int64] = []
    /// Whether ``versions`` is up to date. While it is, only the connection's own statements can change the
    /// schema, and they invalidate the cache.
    var isCurrent = false
    /// Whether the schema has changed in the open transaction: a rollback changes it back.
    var hasChanged = false
    /// The number of schema changes by this connection, or noticed by it, and of rollbacks of such changes.
    var changeCount = 0
    /// The source of schema information that the database itself lacks. See ``Database/schemaSource``.
    var source: (any DatabaseSchemaSource)?

    init(source: (any DatabaseSchemaSource)?) {
        self.source = source
    }
}

/// Identifies the schema of a connection's databases. Results that were derived from the schema are derived
/// again after a change.
///
/// It may differ although the schema is the same, never the reverse.
struct SchemaState: Equatable {
    fileprivate let versions: [Int64]
    /// Covers the temporary schema, because it has no version, and the versions of tables.
    fileprivate let changeCount: Int
}

extension Database {
    /// Returns the state of the schema that statements see.
    func schemaState() throws -> SchemaState {
        try checkSchema()
        return knownSchemaState
    }

    /// The state of the schema, without changes by other connections since it was last used.
    var knownSchemaState: SchemaState {
        SchemaState(versions: schema.versions, changeCount: schema.changeCount)
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

    /// Clears the cache, and the cached statements, if another connection has changed the schema. Must be
    /// called before either is used.
    ///
    /// Inside a transaction only the first call has a cost, because the schema cannot change until the
    /// transaction ends.
    func checkSchema() throws {
        guard !schema.isCurrent, let reader = schemaReading else { return }
        if let server { return try checkCachedTables(server) }
        let versions = try storage { () throws(StorageError) in
            var versions: [Int64] = []
            for name in try knownSchemaNames(reader) where name != SchemaNaming.temporary {
                versions.append(try reader.schemaVersion(of: name))
            }
            return versions
        }
        if versions != schema.versions {
            let names = schema.cache.schemaNames
            schema.cache = SchemaCache()
            schema.cache.schemaNames = names
            schema.versions = versions
            removeCachedStatements()
        }
        schema.isCurrent = isInsideTransaction
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
