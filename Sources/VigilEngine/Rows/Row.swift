public import VigilStorage

/// A database row.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT id, name, score FROM player")
/// while let row = try rows.next() {
///     let id: Int64 = row["id"]
///     let name: String = row[1]
///     let score: Int? = row["score"]  // nil for NULL
/// }
/// ```
///
/// Column names are matched regardless of the case of ASCII letters. If several columns have the same name,
/// the leftmost one is read.
///
/// A row of a cursor is valid until the cursor advances, and must not leave the access that created the
/// cursor, nor its thread. The same holds for the rows of its scopes. Use ``copy()`` to keep a row. Rows that
/// were fetched in any other way have no such restriction.
public final class Row {
    /// The number of columns.
    public let count: Int

    let layout: RowLayout
    /// The columns requested by name, if a cursor returns this object for each of its rows.
    @usableFromInline let columnLookups: ColumnLookups?
    /// Whether a cursor returns this object for each of its rows.
    package private(set) var isReused: Bool
    /// The cells of the statement's row, before adapting.
    @usableFromInline let cells: UnsafeMutablePointer<StorageCell>
    /// See ``RowLayout/positions``.
    @usableFromInline let positions: [Int]?
    /// The owner of the cells; `nil` if the row owns them.
    private let owner: AnyObject?
    /// The statement whose current row this is; `nil` for an independent row.
    let statement: Statement?
    /// The rows fetched along with this one for its associations, by the key of the association.
    public package(set) var prefetchedRows = PrefetchedRowsView()
    /// The decoders of a cursor's rows. They depend on the columns. Unused for independent rows.
    @exclusivity(unchecked)  // bench: decode-records
    package var decoders: AnyObject?

    private init(
        layout: RowLayout, cells: UnsafeMutablePointer<StorageCell>, owner: AnyObject?, statement: Statement?,
        columnLookups: ColumnLookups? = nil
    ) {
        count = layout.names.count
        self.layout = layout
        self.cells = cells
        positions = layout.positions
        self.owner = owner
        self.statement = statement
        self.columnLookups = columnLookups
        isReused = columnLookups != nil
    }

    deinit {
        if owner == nil { PackedCells.deallocate(cells) }
    }

    /// Creates the current row of a statement, which a cursor reuses for all its rows.
    convenience init(
        currentOf statement: Statement, layout: RowLayout, _ columnLookups: ColumnLookups
    ) {
        let row = statement.storage.row
        self.init(
            layout: layout, cells: row.cells, owner: row, statement: statement,
            columnLookups: columnLookups)
    }

    /// Ends the reuse of the row, and releases its decoders, because they retain it.
    func endReuse() {
        isReused = false
        decoders = nil
    }

    /// Creates an independent row.
    convenience init(layout: RowLayout, values: [StorageValue]) {
        self.init(layout: layout, cells: PackedCells.make(values), owner: nil, statement: nil)
    }

    /// Creates an independent row with copies of cells.
    convenience init(layout: RowLayout, copying cells: UnsafeMutablePointer<StorageCell>) {
        self.init(
            layout: layout, cells: PackedCells.copy(cells, count: layout.cellCount), owner: nil,
            statement: nil)
    }

    /// Creates an independent row from a packed one (`PackedValues`).
    convenience init(layout: RowLayout, unpacking bytes: UnsafeRawBufferPointer) {
        self.init(
            layout: layout, cells: PackedCells.unpack(bytes, count: layout.cellCount), owner: nil,
            statement: nil)
    }

    /// Creates a view of a row with other columns. It shares its cells.
    convenience init(_ row: Row, layout: RowLayout) {
        self.init(layout: layout, cells: row.cells, owner: row.owner ?? row, statement: row.statement)
    }

    /// Creates a row without columns.
    public convenience init() {
        self.init(layout: RowLayout(names: []), values: [])
    }

    /// Creates a row from a dictionary. The order of its columns is undefined.
    ///
    /// ```swift
    /// let columns: [String: (any DatabaseValueConvertible)?] = ["name": "Arthur", "score": nil]
    /// let row = Row(columns)
    /// ```
    public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(dictionary.map { ($0, $1?.databaseValue ?? .null) })
    }

    /// Creates a row from a dictionary. The order of its columns is undefined. Returns `nil` if a key is not
    /// a `String`, or if a value is not ``DatabaseValueConvertible``.
    public convenience init?(_ dictionary: [AnyHashable: Any]) {
        var columns: [(String, DatabaseValue)] = []
        for (key, value) in dictionary {
            guard let name = key as? String, let dbValue = DatabaseValue(value: value) else { return nil }
            columns.append((name, dbValue))
        }
        self.init(columns)
    }

    package convenience init(_ columns: [(String, DatabaseValue)]) {
        self.init(layout: RowLayout(names: columns.map(\.0)), values: columns.map(\.1.storageValue))
    }

    /// Whether the row belongs to a cursor, which overwrites its values when it advances.
    package var isCurrent: Bool { statement != nil }

    /// The memory of the row, roughly, in bytes.
    var byteCount: Int { 128 + PackedCells.byteCount(cells, count: layout.cellCount) }

    /// Whether the row, or the one that it was copied from, is the result of a statement.
    package var isFetched: Bool { layout.sql != nil }

    /// Returns an independent row: a copy if the row belongs to a cursor, otherwise the row itself.
    public func copy() -> Row {
        guard isCurrent else { return self }
        let row = Row(layout: layout, copying: cells)
        // The rows of cursors have none.
        if columnLookups == nil, !prefetchedRows.isEmpty { row.prefetchedRows = prefetchedRows }
        return row
    }

    // MARK: - Columns

    /// The names of the columns, from left to right.
    public var columnNames: LazyMapCollection<Row, String> { lazy.map { $0.0 } }

    /// The values, from left to right.
    public var databaseValues: LazyMapCollection<Row, DatabaseValue> { lazy.map { $0.1 } }

    /// Returns whether a column of the given name exists, regardless of the case of ASCII letters.
    public func hasColumn(_ columnName: String) -> Bool { index(ofColumn: columnName) != nil }

    /// Returns the index of the leftmost column of the given name.
    @inlinable  // bench: decode-records
    package func index(ofColumn name: String) -> Int? {
        guard let columnLookups else { return search(forColumn: name) }
        let index = columnLookups.index(of: name)
        return index < 0 ? nil : index
    }

    @usableFromInline
    func search(forColumn name: String) -> Int? { layout.index(of: name) }

    /// Returns the cell at an index, without copying it.
    @inlinable  // bench: decode-rows
    package func cell(at index: Int) -> StorageCell {
        trap(unless: index >= 0 && index < count, "row index out of range")
        guard let positions else { return cells[index] }
        return cells[positions[index]]
    }

    package func databaseValue(at index: Int) -> DatabaseValue { DatabaseValue(copying: cell(at: index)) }

    /// Returns whether the value at an index is NULL.
    public func hasNull(atIndex index: Int) -> Bool { cell(at: index).kind == .null }

    /// Whether any value of this row or of its scopes is not NULL. An outer join without a match returns only
    /// NULLs.
    public var containsNonNullValue: Bool {
        (0..<count).contains { !hasNull(atIndex: $0) } || scopes.contains { $0.row.containsNonNullValue }
    }
}

// Guard: an independent row is immutable once it is returned; like its cursor, the row of a cursor must not
// leave the access and its thread.
extension Row: @unchecked Sendable {}

extension Row: ExpressibleByDictionaryLiteral {
    /// Creates a row with the given columns, in this order.
    public convenience init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements.map { ($0, $1?.databaseValue ?? .null) })
    }
}

// MARK: - Collection

/// A row is a collection of its column names and values, from left to right.
extension Row: RandomAccessCollection {
    /// The position of a column.
    public struct Index: Comparable, Strideable, Sendable {
        let offset: Int

        /// Returns whether a position is to the left of another.
        public static func < (a: Index, b: Index) -> Bool { a.offset < b.offset }
        /// Returns the number of columns from this position to another.
        public func distance(to other: Index) -> Int { other.offset - offset }
        /// Returns the position that is `distance` columns to the right.
        public func advanced(by distance: Int) -> Index { Index(offset: offset + distance) }
    }

    /// The position of the first column.
    public var startIndex: Index { Index(offset: 0) }
    /// The position after the last column.
    public var endIndex: Index { Index(offset: count) }

    /// The column name and value at a position.
    public subscript(position: Index) -> (String, DatabaseValue) {
        let value = databaseValue(at: position.offset)
        return (layout.names[position.offset], value)
    }
}
