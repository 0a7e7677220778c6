/// A connection that describes its schema in detail.
///
/// Without it, the schema functions of `Database` throw. The results describe the schema at the time of the
/// call; callers cache them, and compare ``schemaVersion(of:)``.
public protocol SchemaReading: StorageConnection {
    /// Returns the names of the open databases, in the order in which an unqualified name is looked up.
    func schemaNames() throws(StorageError) -> [String]

    /// Returns a number that changes whenever this or another connection changes the schema.
    func schemaVersion(of schema: String) throws(StorageError) -> Int64

    /// Returns the tables, views, indexes and triggers of a database.
    func schemaObjects(in schema: String) throws(StorageError) -> [StorageSchemaObject]

    /// Returns the columns of a table or view, in the order of their declaration; none if it does not exist.
    func columns(of table: TableName) throws(StorageError) -> [StorageColumn]

    /// Returns the indexes of a table; none if it does not exist.
    func indexes(on table: TableName) throws(StorageError) -> [StorageIndex]

    /// Returns the foreign keys of a table; none if it does not exist.
    func foreignKeys(of table: TableName) throws(StorageError) -> [StorageForeignKey]

    /// Returns a statement to find the rows that violate a foreign key of a table; of all tables with `nil`.
    ///
    /// Its rows have four columns: the table, the row id (NULL if the table has none), the referenced table,
    /// and the ``StorageForeignKey/id``.
    func foreignKeyCheck(of table: TableName?) throws(StorageError) -> any StorageStatement
}

/// A table, view, index or trigger in the schema.
public struct StorageSchemaObject: Sendable, Hashable {
    /// The kind of a schema object.
    public enum Kind: Sendable, Hashable {
        /// A table, including virtual ones.
        case table
        /// A view.
        case view
        /// An index.
        case index
        /// A trigger.
        case trigger
    }

    /// The kind of the object.
    public var kind: Kind
    /// The name of the object.
    public var name: String
    /// The name of the object's table; its own name for a table or view.
    public var tableName: String
    /// The SQL that created the object; `nil` if the library created it implicitly.
    public var sql: String?

    /// Creates a schema object.
    public init(kind: Kind, name: String, tableName: String, sql: String?) {
        self.kind = kind
        self.name = name
        self.tableName = tableName
        self.sql = sql
    }
}

/// A column of a table or view, with more detail than ``StorageTable/Column``.
public struct StorageColumn: Sendable, Hashable {
    /// The name, type and constraints of the column.
    public var column: StorageTable.Column
    /// Whether `SELECT *` omits the column, as virtual tables can request.
    public var isHidden: Bool
    /// Whether the value is computed from other columns.
    public var isGenerated: Bool
    /// Whether the value is stored in the database, as opposed to computed when it is read.
    public var isStored: Bool

    /// Creates a column. Without further arguments, it is an ordinary one.
    public init(
        column: StorageTable.Column, isHidden: Bool = false, isGenerated: Bool = false, isStored: Bool = true
    ) {
        self.column = column
        self.isHidden = isHidden
        self.isGenerated = isGenerated
        self.isStored = isStored
    }
}

/// An index of a table.
public struct StorageIndex: Sendable, Hashable {
    /// The reason why an index exists.
    public enum Origin: Sendable, Hashable {
        /// A CREATE INDEX statement.
        case createIndex
        /// A UNIQUE constraint.
        case uniqueConstraint
        /// A PRIMARY KEY constraint.
        case primaryKey
    }

    /// The name of the index.
    public var name: String
    /// The indexed columns, in their order; `nil` for an expression or the row id.
    public var columns: [String?]
    /// Whether the index enforces uniqueness.
    public var isUnique: Bool
    /// Whether the index has a WHERE clause, and contains only some of the rows.
    public var isPartial: Bool
    /// The reason why the index exists.
    public var origin: Origin

    /// Creates an index.
    public init(name: String, columns: [String?], isUnique: Bool, isPartial: Bool, origin: Origin) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
        self.isPartial = isPartial
        self.origin = origin
    }
}

/// A foreign key of a table.
public struct StorageForeignKey: Sendable, Hashable {
    /// The number of the foreign key in its table.
    public var id: Int
    /// The name of the referenced table.
    public var referencedTable: String
    /// The referencing columns.
    public var columns: [String]
    /// The referenced columns, in the order of ``columns``; `nil` if they are the primary key.
    public var referencedColumns: [String]?

    /// Creates a foreign key.
    public init(id: Int, referencedTable: String, columns: [String], referencedColumns: [String]?) {
        self.id = id
        self.referencedTable = referencedTable
        self.columns = columns
        self.referencedColumns = referencedColumns
    }
}
