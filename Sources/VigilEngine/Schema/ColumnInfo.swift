import VigilStorage

/// A column of a table or view.
public struct ColumnInfo: Sendable {
    public let name: String

    /// The type as declared; empty if there is none.
    public let type: String

    /// Whether it was declared `NOT NULL`.
    public let isNotNull: Bool

    /// The default, as SQL; `nil` if there is none.
    public let defaultValueSQL: String?

    /// The position in the primary key, from 1 on; 0 for columns outside of it.
    public internal(set) var primaryKeyIndex: Int

    /// Whether its value follows from others.
    package let isGenerated: Bool

    init(_ column: StorageColumn) {
        name = column.column.name
        type = column.column.type
        isNotNull = column.column.isNotNull
        defaultValueSQL = column.column.defaultSQL
        primaryKeyIndex = column.column.primaryKeyIndex
        isGenerated = column.isGenerated
    }
}
