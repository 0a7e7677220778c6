/// A connection to a database whose schema other connections change at any time, and in which the version of all tables
/// is expensive to read.
///
/// Its cached schema information is checked against the versions of the tables that it describes. Its statements notice
/// by themselves that their tables have changed, when they run.
package protocol TableVersioning: SchemaReading {
    /// Returns the version of some tables.
    ///
    /// - Parameter tables: the tables, as they are named in calls of ``SchemaReading``. A table that does not exist has a
    ///   version too.
    func version(of tables: [TableName]) throws(StorageError) -> TablesVersion
}

/// The version of what ``SchemaReading`` returns for some tables.
///
/// It may differ although the tables are the same, never the reverse.
package struct TablesVersion: Sendable, Hashable {
    /// The schemas in which unqualified names are looked up.
    package var searchPath: String
    /// The version of the tables: the sum of the versions of each of them.
    package var number: Int64

    /// Creates a version.
    package init(searchPath: String, number: Int64) {
        self.searchPath = searchPath
        self.number = number
    }
}
