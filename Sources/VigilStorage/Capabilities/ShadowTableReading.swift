/// A connection that knows in which tables its virtual tables store their content.
public protocol ShadowTableReading: StorageConnection {
    /// Returns the names of the tables that belong to virtual tables, such as those of a full-text index.
    func shadowTableNames(in schema: String) throws(StorageError) -> [String]
}
