/// The metadata of a table, view or virtual table.
///
/// ```swift
/// let player = StorageTable(
///     name: TableName(name: "player"), kind: .table,
///     columns: [.init(name: "id", type: "INTEGER", primaryKeyIndex: 1), .init(name: "name", type: "TEXT")],
///     hasRowID: true)
/// ```
public struct StorageTable: Sendable, Hashable {
    /// The kind of a table.
    public enum Kind: Sendable, Hashable {
        /// An ordinary table.
        case table
        /// A view.
        case view
        /// A table with content from an extension, possibly from other tables.
        case virtual
    }

    /// A column of a table.
    public struct Column: Sendable, Hashable {
        /// The name, in the schema's spelling.
        public var name: String
        /// The type as it was declared; empty if the column was declared without a type.
        public var type: String
        /// Whether the column is declared NOT NULL.
        public var isNotNull: Bool
        /// The SQL expression of the default value; `nil` without a default.
        public var defaultSQL: String?
        /// The position in the primary key, starting with 1; 0 for other columns.
        public var primaryKeyIndex: Int

        /// Creates a column. Without further arguments, it has no type, constraint or default.
        public init(
            name: String, type: String = "", isNotNull: Bool = false, defaultSQL: String? = nil,
            primaryKeyIndex: Int = 0
        ) {
            self.name = name
            self.type = type
            self.isNotNull = isNotNull
            self.defaultSQL = defaultSQL
            self.primaryKeyIndex = primaryKeyIndex
        }

        /// Returns whether two columns are declared alike, with names of the same bytes.
        public static func == (one: Column, other: Column) -> Bool {
            one.name.isIdentical(to: other.name) && one.type == other.type
                && one.isNotNull == other.isNotNull && one.defaultSQL == other.defaultSQL
                && one.primaryKeyIndex == other.primaryKeyIndex
        }
    }

    /// The name, in the schema's spelling.
    public var name: TableName
    /// The kind of the table.
    public var kind: Kind
    /// The columns, in the order of their declaration.
    public var columns: [Column]
    /// Whether an integer row id identifies the rows.
    public var hasRowID: Bool
    /// Whether a separate index enforces the primary key. The primary key is then not the row id, whatever
    /// its type.
    public var hasPrimaryKeyIndex: Bool

    /// Creates the metadata of a table.
    public init(
        name: TableName, kind: Kind, columns: [Column], hasRowID: Bool, hasPrimaryKeyIndex: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.columns = columns
        self.hasRowID = hasRowID
        self.hasPrimaryKeyIndex = hasPrimaryKeyIndex
    }

    /// The name of the row id's alias (`INTEGER PRIMARY KEY`); `nil` without an alias.
    public var rowIDColumn: String? {
        guard hasRowID, !hasPrimaryKeyIndex else { return nil }
        let key = columns.filter { $0.primaryKeyIndex > 0 }
        guard key.count == 1, key[0].type.isSameName(as: "INTEGER") else { return nil }
        return key[0].name
    }
}
