public import VigilStorage

/// The part of a database that somebody reads: everything, or columns and rows of some tables.
///
/// A change that touches a region may change what was read; any other change does not.
///
/// ```swift
/// let players = DatabaseRegion(table: "player")
/// let names = DatabaseRegion(table: "player", columns: ["id", "name"])
/// let arthur = DatabaseRegion(table: "player", rowIds: [1])
/// names.intersection(arthur).description  // player(id,name)[1]
/// names.union(arthur).description         // player(*)
/// ```
///
/// Table and column names compare ignoring the case of ASCII letters and keep their spelling.
///
/// Conditions that the rows must satisfy may come to refine the regions of single tables. They narrow a
/// region below the algebra of columns and rows: ``description`` will leave them out,
/// ``debugDescription`` will show them.
public struct DatabaseRegion: Sendable, Equatable {
    /// `nil` for the full database. Otherwise each table once, ordered by ``TableName/precedes(_:)``,
    /// and none with an empty part.
    var contents: [TableRegion]?

    init(contents: [TableRegion]?) {
        self.contents = contents
    }

    /// The empty region, which nothing touches.
    public init() {
        self.init(contents: [])
    }

    /// The region that every change touches.
    public static let fullDatabase = DatabaseRegion(contents: nil)

    /// A whole table of the schema `main`.
    public init(table: String) {
        self.init(table: TableName(name: table))
    }

    /// Some columns of a table of the schema `main`; the empty region if there are none.
    public init(table: String, columns: Set<String>) {
        self.init(table: TableName(name: table), columns: columns)
    }

    /// Some rows of a table of the schema `main`; the empty region if there are none.
    public init(table: String, rowIds: Set<Int64>) {
        self.init(table: TableName(name: table), rowIds: rowIds)
    }

    /// A table of any schema: some columns (`nil`: all) of some rows (`nil`: all).
    ///
    /// It is the empty region if there are no columns or no rows.
    public init(table: TableName, columns: Set<String>? = nil, rowIds: Set<Int64>? = nil) {
        let part = TablePart(columns: columns.map { ColumnSet($0) }, rowIDs: rowIds)
        self.init(contents: part.isEmpty ? [] : [TableRegion(table: table, part: part)])
    }

    /// What a statement reads.
    ///
    /// A table of which it reads no column in particular is there with all columns: the statement depends
    /// at least on which rows there are.
    public init(reading access: StatementAccess) {
        if access.readsUnknown {
            self = .fullDatabase
            return
        }
        self.init()
        for read in access.reads {
            let columns = read.columns.flatMap { $0.isEmpty ? nil : $0 }
            formUnion(DatabaseRegion(table: read.table, columns: columns))
        }
    }

    /// Whether nothing touches the region.
    public var isEmpty: Bool { contents?.isEmpty ?? false }

    /// Whether the region is the full database.
    public var isFullDatabase: Bool { contents == nil }

    /// The tables, sorted by name. None for the full database, which names no table: see
    /// ``isFullDatabase``.
    public var tables: [TableRegion] {
        (contents ?? []).sorted {
            ($0.table.name, $0.table.schema) < ($1.table.name, $1.table.schema)
        }
    }
}

extension DatabaseRegion: CustomStringConvertible, CustomDebugStringConvertible {
    /// `full database`, `empty`, or the tables with their columns and row ids, such as
    /// `player(name,score)[1,2],team(*)`.
    public var description: String {
        if isFullDatabase { return "full database" }
        if isEmpty { return "empty" }
        return tables.map(\.description).joined(separator: ",")
    }

    /// All that there is to know of the region.
    public var debugDescription: String { description }
}
