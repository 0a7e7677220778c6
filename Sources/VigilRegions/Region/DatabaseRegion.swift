public import VigilStorage

/// A part of a database: everything, or columns and rows of some tables.
///
/// A query has a region: everything it reads. A change in the region may change the query's result; any other
/// change does not.
///
/// ```swift
/// let players = DatabaseRegion(table: "player")
/// let names = DatabaseRegion(table: "player", columns: ["id", "name"])
/// let arthur = DatabaseRegion(table: "player", rowIds: [1])
/// names.intersection(arthur).description  // player(id,name)[1]
/// names.union(arthur).description         // player(*)
/// ```
///
/// Names of tables and columns compare ignoring the case of ASCII letters, and keep their spelling.
///
/// Conditions on rows can refine a region. They are not part of the algebra of columns and rows: a change of
/// a row does not modify the region if the row meets the conditions neither before nor afterwards.
/// ``description`` omits conditions, ``debugDescription`` includes them. Two regions with different
/// conditions are not equal.
public struct DatabaseRegion: Sendable, Equatable {
    /// `nil` for the full database. Otherwise each table once, ordered by ``TableName/precedes(_:)``, and
    /// none with an empty part.
    var contents: [TableRegion]?

    init(contents: [TableRegion]?) {
        self.contents = contents
    }

    /// Creates the empty region. No change modifies it.
    public init() {
        self.init(contents: [])
    }

    /// The region of the full database. Every change modifies it.
    public static let fullDatabase = DatabaseRegion(contents: nil)

    /// Creates the region of a table in the schema `main`.
    public init(table: String) {
        self.init(table: TableName(name: table))
    }

    /// Creates the region of columns of a table in the schema `main`; the empty region without columns.
    public init(table: String, columns: Set<String>) {
        self.init(table: TableName(name: table), columns: columns)
    }

    /// Creates the region of some rows of a table in the schema `main`. Without rows, it is the empty region.
    public init(table: String, rowIds: Set<Int64>) {
        self.init(table: TableName(name: table), rowIds: rowIds)
    }

    /// Creates the region of some columns of some rows of a table; the empty region without columns or rows.
    ///
    /// - Parameters:
    ///   - table: the table, in any schema.
    ///   - columns: the columns; `nil` for all.
    ///   - rowIds: the row ids; `nil` for all rows.
    public init(table: TableName, columns: Set<String>? = nil, rowIds: Set<Int64>? = nil) {
        let part = TablePart(
            columns: ColumnSelection(columns.map { ColumnSet($0) }), rowIDs: rowIds)
        self.init(contents: part.isEmpty ? [] : [TableRegion(table: table, part: part)])
    }

    /// Creates the region that a statement reads.
    ///
    /// A table of which no column is read, as by `COUNT(*)`, is included with all columns. An update known to
    /// keep the row's key does not modify its region, unless no-op updates count.
    public init(reading access: StatementAccess) {
        self.init(reading: access, conditions: [:])
    }

    /// Creates the region that a statement reads, limited to the rows that meet conditions.
    ///
    /// - Parameters:
    ///   - access: the statement's reads.
    ///   - conditions: conjunctions of conditions for each table. A row must meet one of them to affect the
    ///     statement's result. Any row of a table without an entry may affect it.
    package init(reading access: StatementAccess, conditions: [TableName: [[RowCondition]]]) {
        if access.readsUnknown {
            self = .fullDatabase
            return
        }
        self.init()
        for read in access.reads {
            var part = TablePart(
                columns: ColumnSelection(read.columns.map { ColumnSet($0) }))
            if part.columns.isEmpty { part.columns = .rowsOnly }
            part.predicates = conditions[read.table].flatMap { RowPredicates.any(of: $0) }
            formUnion(DatabaseRegion(contents: [TableRegion(table: read.table, part: part)]))
        }
    }

    /// Returns the region with further reads.
    package func union(reads: [TableRead]) -> DatabaseRegion {
        reads.reduce(self) { $0.union(DatabaseRegion(table: $1.table, columns: $1.columns)) }
    }

    /// Returns the region without rows of a table that are certain to make no difference.
    ///
    /// - Parameters:
    ///   - table: the table.
    ///   - conditions: conjunctions of conditions. A row must meet at least one of them to make a difference.
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

    /// Returns whether conditions restrict the rows of a region: not if they have too many alternatives or
    /// values.
    package static func isNarrowed(by conditions: [[RowCondition]]) -> Bool {
        RowPredicates.any(of: conditions) != nil
    }

    /// Returns the region without rows that are certain to make no difference.
    ///
    /// - Parameter conditions: conjunctions for each table. A row must meet one of them to make a difference.
    package func narrowed(to conditions: [TableName: [[RowCondition]]]) -> DatabaseRegion {
        conditions.reduce(self) { $0.narrowed($1.key, to: $1.value) }
    }

    /// Returns the region with only the given rows of a table. Keeps other tables, and conditions.
    package func restricted(toRowIDs rowIDs: Set<Int64>, of table: TableName) -> DatabaseRegion {
        guard let contents else { return self }
        let isRestricted = contents.contains { $0.table == table }
        guard isRestricted else { return self }
        return DatabaseRegion(
            contents: contents.compactMap { region in
                guard region.table == table else { return region }
                var part = region.part
                part.rowIDs = part.rowIDs?.intersection(rowIDs) ?? rowIDs
                return part.isEmpty ? nil : TableRegion(table: region.table, part: part)
            })
    }

    /// Returns the region with its tables renamed. A table is left out if `name` returns `nil`.
    package func mapTables(_ name: (TableName) throws -> TableName?) rethrows -> DatabaseRegion {
        guard let contents else { return self }
        let names = try contents.map { try name($0.table) }
        var isUnchanged = true
        for (name, part) in zip(names, contents) where name?.isIdentical(to: part.table) != true {
            isUnchanged = false
        }
        if isUnchanged { return self }
        return zip(names, contents).reduce(into: DatabaseRegion()) { region, renamed in
            guard let table = renamed.0 else { return }
            region.formUnion(DatabaseRegion(contents: [TableRegion(table: table, part: renamed.1.part)]))
        }
    }

    /// The region as in ``description``: without conditions, and with all columns if only the existence of
    /// rows matters.
    package var described: DatabaseRegion {
        DatabaseRegion(
            contents: contents?.map { region in
                let part = TablePart(
                    columns: ColumnSelection(region.part.columns.named), rowIDs: region.rowIDs)
                return TableRegion(table: region.table, part: part)
            })
    }

    /// Returns whether two regions share their storage, as copies do. Such regions are equal.
    package func isSameInstance(as other: DatabaseRegion) -> Bool {
        guard let contents, let others = other.contents else {
            return contents == nil && other.contents == nil
        }
        return contents.count == others.count
            && contents.withUnsafeBufferPointer { one in
                others.withUnsafeBufferPointer { one.baseAddress == $0.baseAddress }
            }
    }

    /// The number of row ids in the region.
    package var rowIDCount: Int { contents?.reduce(0) { $0 + ($1.part.rowIDs?.count ?? 0) } ?? 0 }

    /// Whether no change modifies the region.
    public var isEmpty: Bool { contents?.isEmpty ?? false }

    /// Whether the region is the full database.
    public var isFullDatabase: Bool { contents == nil }

    /// The tables, sorted by name; empty for the full database, see ``isFullDatabase``.
    public var tables: [TableRegion] {
        (contents ?? []).sorted {
            ($0.table.name, $0.table.schema) < ($1.table.name, $1.table.schema)
        }
    }
}

extension DatabaseRegion: CustomStringConvertible, CustomDebugStringConvertible {
    /// The tables with columns and row ids, such as `player(name)[1,2],team(*)`; `full database`, or `empty`.
    public var description: String {
        if isFullDatabase { return "full database" }
        if isEmpty { return "empty" }
        return tables.map(\.description).joined(separator: ",")
    }

    /// The description with the conditions and their values, such as `player(score,team){team = 5}`.
    public var debugDescription: String {
        contents?.isEmpty ?? true
            ? description : tables.map(\.debugDescription).joined(separator: ",")
    }
}
