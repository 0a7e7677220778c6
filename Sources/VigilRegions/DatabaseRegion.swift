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
/// Conditions that rows must meet refine a region below the algebra of columns and rows: a change of a row that
/// meets them neither before nor after does not touch the region. ``description`` leaves them out,
/// ``debugDescription`` shows them. Two regions with different conditions are not equal.
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
        let part = TablePart(
            columns: ColumnSelection(columns.map { ColumnSet($0) }), rowIDs: rowIds)
        self.init(contents: part.isEmpty ? [] : [TableRegion(table: table, part: part)])
    }

    /// What a statement reads.
    ///
    /// A table of which it reads no column in particular is there with all columns; but an update that leaves a row
    /// where it is does not touch it, unless no-op updates count.
    public init(reading access: StatementAccess) {
        self.init(reading: access, conditions: [:])
    }

    /// What a statement reads of those rows that meet conditions.
    ///
    /// - Parameter conditions: for a table, conjunctions of conditions: a row that meets none of them makes no
    ///   difference to what the statement returns. Any row may in a table without an entry.
    package init(reading access: StatementAccess, conditions: [TableName: [[RowCondition]]]) {
        if access.readsUnknown {
            self = .fullDatabase
            return
        }
        self.init()
        for read in access.reads {
            var part = TablePart(
                columns: ColumnSelection(read.columns.map { ColumnSet($0) }))
            if part.columns.isEmpty { part.columns = .rowsAlone }
            part.predicates = conditions[read.table].flatMap { RowPredicates.any(of: $0) }
            formUnion(DatabaseRegion(contents: [TableRegion(table: read.table, part: part)]))
        }
    }

    /// The region without what rows of a table are certain not to concern it.
    ///
    /// - Parameter conditions: conjunctions of conditions, of which a row must meet one to make a difference.
    package func narrowed(_ table: TableName, to conditions: [[RowCondition]]) -> DatabaseRegion {
        guard let contents, let predicates = RowPredicates.any(of: conditions) else { return self }
        return DatabaseRegion(
            contents: contents.map { region in
                guard region.table == table else { return region }
                var part = region.part
                part.predicates = part.predicates?.intersection(predicates) ?? predicates
                return TableRegion(table: region.table, part: part)
            })
    }

    /// The region without what rows are certain not to concern it.
    ///
    /// - Parameter conditions: for a table, conjunctions of conditions, of which a row must meet one to make a difference.
    package func narrowed(to conditions: [TableName: [[RowCondition]]]) -> DatabaseRegion {
        conditions.reduce(self) { $0.narrowed($1.key, to: $1.value) }
    }

    /// The region with other names for its tables, and without those for which there is none.
    package func mapTables(_ name: (TableName) throws -> TableName?) rethrows -> DatabaseRegion {
        guard let contents else { return self }
        return try contents.reduce(into: DatabaseRegion()) { region, part in
            guard let table = try name(part.table) else { return }
            region.formUnion(DatabaseRegion(contents: [TableRegion(table: table, part: part.part)]))
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

    /// The description, with the conditions that rows must meet to make a difference, such as
    /// `player(score,team){team = 5}`. It shows the values of the conditions.
    public var debugDescription: String {
        contents?.isEmpty ?? true
            ? description : tables.map(\.debugDescription).joined(separator: ",")
    }
}
