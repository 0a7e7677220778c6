import VigilStorage

/// A column of a table or view, returned by ``Database/columns(in:in:)``.
public struct ColumnInfo: Sendable {
    /// The name of the column.
    public let name: String

    /// The declared type, or an empty string.
    public let type: String

    /// Whether the column has a `NOT NULL` constraint.
    public let isNotNull: Bool

    /// The default value as SQL, or `nil`.
    public let defaultValueSQL: String?

    /// The position in the primary key, starting at 1; 0 for columns outside of it.
    public internal(set) var primaryKeyIndex: Int

    init(_ column: StorageColumn) {
        name = column.column.name
        type = column.column.type
        isNotNull = column.column.isNotNull
        defaultValueSQL = column.column.defaultSQL
        primaryKeyIndex = column.column.primaryKeyIndex
    }

    /// Creates a description from a row of `PRAGMA table_info` or `PRAGMA table_xinfo`.
    ///
    /// ```swift
    /// let columns = try ColumnInfo.fetchAll(db, sql: "PRAGMA other.table_info(player)")
    /// ```
    ///
    /// - Throws: `RowDecodingError` for other rows.
    public init(row: Row) throws {
        name = try row.decode(forColumn: "name")
        type = try row.decode(forColumn: "type")
        isNotNull = try row.decode(forColumn: "notnull")
        defaultValueSQL = try row.decode(forColumn: "dflt_value")
        primaryKeyIndex = try row.decode(forColumn: "pk")
    }
}
