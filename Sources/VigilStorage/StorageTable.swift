/// What the schema says about a table, view or virtual table.
public struct StorageTable: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case table
        case view
        /// Its content is somebody else's: an extension's, kept perhaps in tables of its own.
        case virtual
    }

    public struct Column: Sendable, Hashable {
        public var name: String
        /// As declared; empty if it was declared without.
        public var type: String
        public var isNotNull: Bool
        /// The default, as SQL.
        public var defaultSQL: String?
        /// The position in the primary key, from 1 on; 0 for columns outside of it.
        public var primaryKeyIndex: Int

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
    }

    /// In the schema's spelling.
    public var name: TableName
    public var kind: Kind
    public var columns: [Column]
    /// Whether rows are identified by an integer row id.
    public var hasRowID: Bool
    /// Whether an index of its own keeps the primary key unique: it is then not the row id, whatever its type.
    public var hasPrimaryKeyIndex: Bool

    public init(
        name: TableName, kind: Kind, columns: [Column], hasRowID: Bool, hasPrimaryKeyIndex: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.columns = columns
        self.hasRowID = hasRowID
        self.hasPrimaryKeyIndex = hasPrimaryKeyIndex
    }

    /// The column that *is* the row id (`INTEGER PRIMARY KEY`), if there is one.
    public var rowIDColumn: String? {
        guard hasRowID, !hasPrimaryKeyIndex else { return nil }
        let key = columns.filter { $0.primaryKeyIndex > 0 }
        guard key.count == 1, key[0].type.isSameName(as: "INTEGER") else { return nil }
        return key[0].name
    }
}
