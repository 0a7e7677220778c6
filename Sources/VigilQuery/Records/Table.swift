public import VigilEngine
public import VigilRegions
import VigilStorage

/// A database table or view, identified by its name, and the type its rows are decoded as.
///
/// ```swift
/// let rows = try Table("player").fetchAll(db)
/// let players = try Table<Player>("player").fetchAll(db)
/// let observation = ValueObservation.tracking(Table("player").fetchCount)
/// try db.notifyChanges(in: Table("player"))
/// ```
public struct Table<RowDecoder>: Sendable {
    /// The name of the table.
    public var tableName: String

    private init(named name: String) {
        tableName = name
    }

    /// Creates a reference to the table with the given name. The table does not have to exist.
    public init(_ tableName: String) {
        self.init(named: tableName)
    }

    /// Returns the number of rows in the table.
    ///
    /// - Throws: `DatabaseError` if the table does not exist or counting fails.
    public func fetchCount(_ db: Database) throws -> Int {
        try all().fetchCount(db)
    }
}

// `Table("player")` without a type fetches rows.
extension Table where RowDecoder == Row {
    /// Creates a reference to the table with the given name. The table does not have to exist.
    public init(_ tableName: String) {
        self.init(named: tableName)
    }
}

extension Table: DatabaseRegionConvertible {
    /// Returns the region of all rows and columns of the table, with the name as spelled in the schema. The
    /// region of a view includes everything read by the view. If the table does not exist, the region
    /// contains it under the given name.
    ///
    /// - Throws: `DatabaseError` if the schema cannot be read.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        guard let table = try db.table(named: tableName) else { return DatabaseRegion(table: tableName) }
        let region = DatabaseRegion(table: table.name)
        guard table.kind == .view else { return region }
        return try region.union(SQLRequest<Row>("SELECT * FROM \(identifier: tableName)").databaseRegion(db))
    }
}

extension Table where RowDecoder == Row {
    /// Returns a cursor over the rows of the table. A row is valid until the cursor advances.
    ///
    /// - Throws: `DatabaseError` if the table does not exist.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try all().fetchCursor(db) }

    /// Fetches all rows of the table.
    ///
    /// - Throws: `DatabaseError` if the table does not exist or fetching fails.
    public func fetchAll(_ db: Database) throws -> [Row] { try all().fetchAll(db) }

    /// Fetches the distinct rows of the table.
    ///
    /// - Throws: `DatabaseError` if the table does not exist or fetching fails.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try all().fetchSet(db) }

    /// Fetches one row of the table, or returns `nil` if the table is empty.
    ///
    /// - Throws: `DatabaseError` if the table does not exist or fetching fails.
    public func fetchOne(_ db: Database) throws -> Row? { try all().fetchOne(db) }
}

extension Table where RowDecoder: FetchableRecord {
    /// Returns a cursor over the records of the table.
    ///
    /// - Throws: `DatabaseError` if the table does not exist.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> { try all().fetchCursor(db) }

    /// Fetches all records of the table.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by the record's `init(row:)`.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// Fetches one record of the table, or returns `nil` if the table is empty.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by the record's `init(row:)`.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: FetchableRecord & Hashable {
    /// Fetches the distinct records of the table.
    ///
    /// - Throws: `DatabaseError` if fetching fails, and any error thrown by the record's `init(row:)`.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}
