/// A connection that tells all about its schema.
public protocol SchemaReading: StorageConnection {
    /// The databases that this connection has open, in the order in which an unqualified name is looked up.
    func schemaNames() throws(StorageError) -> [String]

    /// A number that changes with the definition of the schema, whoever changes it.
    func schemaVersion(of schema: String) throws(StorageError) -> Int64

    /// The tables, views, indexes and triggers of a database.
    func schemaObjects(in schema: String) throws(StorageError) -> [StorageSchemaObject]

    /// The columns of a table or view, in their order; none if it does not exist.
    func columns(of table: TableName) throws(StorageError) -> [StorageColumn]

    /// The indexes of a table; none if it does not exist.
    func indexes(on table: TableName) throws(StorageError) -> [StorageIndex]

    /// The foreign keys of a table; none if it does not exist.
    func foreignKeys(of table: TableName) throws(StorageError) -> [StorageForeignKey]

    /// A statement that looks for rows whose foreign keys lead nowhere.
    ///
    /// Each of its rows has four columns: the table, the row id (NULL if the table has none), the table that the key
    /// refers to, and the ``StorageForeignKey/id``.
    ///
    /// - Parameter table: where to look; `nil` looks at all tables.
    func foreignKeyCheck(of table: TableName?) throws(StorageError) -> any StorageStatement
}

/// An entry of the schema.
public struct StorageSchemaObject: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// Virtual tables too.
        case table
        case view
        case index
        case trigger
    }

    public var kind: Kind
    public var name: String
    /// The table that it belongs to; its own name for tables and views.
    public var tableName: String
    /// What created it; `nil` for what the library made by itself.
    public var sql: String?

    public init(kind: Kind, name: String, tableName: String, sql: String?) {
        self.kind = kind
        self.name = name
        self.tableName = tableName
        self.sql = sql
    }
}

/// A column of a table or view.
public struct StorageColumn: Sendable, Hashable {
    public var column: StorageTable.Column
    /// Whether `SELECT *` leaves it out, as virtual tables can ask for.
    public var isHidden: Bool
    /// Whether its value follows from others.
    public var isGenerated: Bool
    /// Whether its value is in the database, rather than computed when it is read.
    public var isStored: Bool

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
    /// What made it.
    public enum Origin: Sendable, Hashable {
        case createIndex
        case uniqueConstraint
        case primaryKey
    }

    public var name: String
    /// The indexed columns; `nil` in the place of an expression or of the row id.
    public var columns: [String?]
    public var isUnique: Bool
    /// Whether rows can be missing in it, because it has a condition.
    public var isPartial: Bool
    public var origin: Origin

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
    /// Tells the foreign keys of one table apart.
    public var id: Int
    public var referencedTable: String
    public var columns: [String]
    /// The columns that these refer to; `nil` for the primary key.
    public var referencedColumns: [String]?

    public init(id: Int, referencedTable: String, columns: [String], referencedColumns: [String]?) {
        self.id = id
        self.referencedTable = referencedTable
        self.columns = columns
        self.referencedColumns = referencedColumns
    }
}
