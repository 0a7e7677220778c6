/// A connection that states in which words its backend differs from other SQL databases.
///
/// Callers read the values once, when the connection is open. Without this capability, they use those of SQLite.
package protocol DialectProviding: StorageConnection {
    /// The names of the tables that describe the schema, and of internal tables.
    var schemaNaming: SchemaNaming { get }

    /// The words of generated SQL.
    var dialect: SQLDialect { get }
}
