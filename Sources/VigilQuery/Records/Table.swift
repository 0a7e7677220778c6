public import VigilEngine
public import VigilRegions
import VigilStorage

/// A table by its name, and what its rows are decoded to.
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

    /// The table of that name, whether it exists or not.
    public init(_ tableName: String) {
        self.init(named: tableName)
    }

    /// The number of rows.
    public func fetchCount(_ db: Database) throws -> Int {
        try SQLRequest<Int>("SELECT COUNT(*) FROM \(identifier: tableName)").fetchOne(db) ?? 0
    }

    private var request: SQLRequest<RowDecoder> {
        SQLRequest(literal: "SELECT * FROM \(identifier: tableName)")
    }
}

// `Table("player")` without a type fetches rows.
extension Table where RowDecoder == Row {
    /// The table of that name, whether it exists or not.
    public init(_ tableName: String) {
        self.init(named: tableName)
    }
}

extension Table: DatabaseRegionConvertible {
    /// All columns and rows of the table that a statement would find by the name, in the schema's spelling; of a
    /// view, also what it reads. A table that does not exist is in the region by the name that it was given.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        guard let table = try db.table(named: tableName) else { return DatabaseRegion(table: tableName) }
        let region = DatabaseRegion(table: table.name)
        guard table.kind == .view else { return region }
        return try region.union(SQLRequest<Row>("SELECT * FROM \(identifier: tableName)").databaseRegion(db))
    }
}

extension Table where RowDecoder == Row {
    /// The rows, one after the other. They are valid until the cursor moves on.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try request.fetchCursor(db) }

    /// All rows.
    public func fetchAll(_ db: Database) throws -> [Row] { try request.fetchAll(db) }

    /// All different rows.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try request.fetchSet(db) }

    /// A row, or `nil` if the table is empty.
    public func fetchOne(_ db: Database) throws -> Row? { try request.fetchOne(db) }
}

extension Table where RowDecoder: FetchableRecord {
    /// The records, one after the other.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> { try request.fetchCursor(db) }

    /// All records.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try request.fetchAll(db) }

    /// A record, or `nil` if the table is empty.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try request.fetchOne(db) }
}

extension Table where RowDecoder: FetchableRecord & Hashable {
    /// All different records.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try request.fetchSet(db) }
}
