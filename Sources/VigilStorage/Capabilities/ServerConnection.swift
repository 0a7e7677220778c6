/// A connection to a database on a server.
///
/// Its session can be lost and replaced by another one, and other connections change the schema at any time.
/// The version of all tables is expensive to read, so cached schema information is checked against the
/// versions of the described tables. Statements notice changes of their tables when they run.
package protocol ServerConnection: SchemaReading, DialectProviding {
    /// Prepares the current session and each later one, before anything else runs there.
    ///
    /// If `prepare` throws for a later session, the access that needed it fails with that error, and the next
    /// access tries again.
    ///
    /// - Parameter prepare: runs statements on the connection, such as `SET ROLE`. It is called on the thread
    ///   of the connection. The connection retains it until it is closed.
    func prepareSessions(_ prepare: @escaping () throws(StorageError) -> Void) throws(StorageError)

    /// Returns the name that ``SchemaReading`` uses for a schema, also for one that is not searched for
    /// unqualified names; `nil` if it does not exist. The case of letters is ignored.
    func schema(named name: String) throws(StorageError) -> String?

    /// Returns the version of some tables. They need not exist.
    func version(of tables: [TableName]) throws(StorageError) -> TablesVersion

    /// Begins a snapshot like ``StorageConnection/beginSnapshot()``, on the server of the pool's feed of
    /// commits.
    ///
    /// - Throws: ``StorageError/Code/connectionLost`` if the sessions lead to another server.
    func beginObservedSnapshot() throws(StorageError)

    /// Keeps the open snapshot for later statements: if its session is lost, they fail. Otherwise, the first
    /// one begins a new snapshot after a loss.
    func keepSnapshot()

    /// Undoes the settings that statements such as `SET LOCAL` have made in the open snapshot. If that is not
    /// possible, later statements in the snapshot fail.
    ///
    /// - Returns: whether there were any.
    func undoSettings() -> Bool

    /// Makes the open snapshot readable for other sessions of the server, until its end. Returns its
    /// identifier.
    func exportSnapshot() throws(StorageError) -> String

    /// Returns the tables reported one by one with a publication, if the server and the role allow a stream,
    /// and it publishes all operations; none if it does not exist.
    func reportedTables(ofPublication name: String) throws(StorageError) -> Set<TableName>

    /// Returns statements to create the tables of a schema with their columns and constraints, by table.
    ///
    /// They are read only for dumps: ``SchemaReading/schemaObjects(in:)`` leaves them out.
    func tableDefinitions(in schema: String) throws(StorageError) -> [String: String]
}

/// The version of everything that ``SchemaReading`` returns for some tables.
///
/// It may differ although the tables are the same, never the reverse.
package struct TablesVersion: Sendable, Hashable {
    /// The schemas for unqualified names.
    package var searchPath: String
    /// The sum of the versions of the tables.
    package var number: Int64

    package init(searchPath: String, number: Int64) {
        self.searchPath = searchPath
        self.number = number
    }
}

/// A connection with a SQL dialect other than SQLite's.
///
/// Callers read the naming and the dialect once, when the connection is open.
package protocol DialectProviding: StorageConnection {
    var schemaNaming: SchemaNaming { get }

    var dialect: SQLDialect { get }

    /// The unquoted name in SQL of the schema ``SchemaNaming/main``. Preparing the connection can change it.
    var mainSchema: String { get }
}
