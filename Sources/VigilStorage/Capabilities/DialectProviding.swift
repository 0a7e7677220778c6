/// A connection that states in which words its backend differs from other SQL databases.
///
/// Callers read the naming and the dialect once, when the connection is open. Without this capability, they use those of
/// SQLite.
package protocol DialectProviding: StorageConnection {
    /// The names of the tables that describe the schema, and of internal tables.
    var schemaNaming: SchemaNaming { get }

    /// The words of generated SQL.
    var dialect: SQLDialect { get }

    /// The name in SQL of the schema ``SchemaNaming/main``, unquoted. It can change while the connection is prepared.
    var mainSchema: String { get }
}

extension DialectProviding {
    package var mainSchema: String { SchemaNaming.main }
}
