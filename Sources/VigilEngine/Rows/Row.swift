public import VigilStorage

/// A row of a query's result.
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
/// Names of columns are found whatever the case of their ASCII letters; of several columns of the same name the
/// leftmost counts.
///
/// A row that a cursor returns is valid until the cursor moves on, and stays in the access that made the cursor;
/// ``copy()`` makes one that lasts. All others last.
public final class Row {
    /// The number of columns.
    public let count: Int

    let layout: RowLayout
    /// The values of the statement's row, adapted or not.
    @usableFromInline let cells: UnsafeMutablePointer<StorageCell>
    /// See ``RowLayout/positions``.
    @usableFromInline let positions: [Int]?
    /// What keeps the cells; `nil` if they are the row's own.
    private let owner: AnyObject?
    /// The statement whose current row this is; `nil` if the row lasts.
    let statement: Statement?
    /// The rows that were fetched along with this one, by the key of their association.
    public package(set) var prefetchedRows = PrefetchedRowsView()
    /// What whoever decodes a cursor's rows remembers about their columns. Not for rows that last.
    package var decodingPlan: AnyObject?

    private init(
        layout: RowLayout, cells: UnsafeMutablePointer<StorageCell>, owner: AnyObject?, statement: Statement?
    ) {
        count = layout.names.count
        self.layout = layout
        self.cells = cells
        positions = layout.positions
        self.owner = owner
        self.statement = statement
    }

    deinit {
        if owner == nil { UnsafeMutableRawPointer(cells).deallocate() }
    }

    /// The current row of a statement.
    convenience init(currentOf statement: Statement, layout: RowLayout) {
        let row = statement.storage.row
        self.init(layout: layout, cells: row.cells, owner: row, statement: statement)
    }

    /// A row that lasts.
    convenience init(layout: RowLayout, values: [StorageValue]) {
        self.init(layout: layout, cells: PackedCells.make(values), owner: nil, statement: nil)
    }

    /// Other columns of the same row.
    convenience init(_ row: Row, layout: RowLayout) {
        self.init(layout: layout, cells: row.cells, owner: row.owner ?? row, statement: row.statement)
    }

    /// A row without columns.
    public convenience init() {
        self.init(layout: RowLayout(names: []), values: [])
    }

    /// A row with the columns of a dictionary, in no particular order.
    public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(dictionary.map { ($0, $1?.databaseValue ?? .null) })
    }

    /// A row with the columns of a dictionary, in no particular order; `nil` if a key is not a `String`, or a value
    /// is not ``DatabaseValueConvertible``.
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

    /// Whether this is the row of a cursor, whose values change with the next one.
    package var isCurrent: Bool { statement != nil }

    /// A row that lasts: this one, unless it is a cursor's.
    public func copy() -> Row {
        guard statement != nil else { return self }
        let row = Row(
            layout: layout, cells: PackedCells.copy(cells, count: layout.unadapted.names.count), owner: nil,
            statement: nil)
        if !prefetchedRows.isEmpty { row.prefetchedRows = prefetchedRows }
        return row
    }

    // MARK: - Columns

    /// The names of the columns, from left to right.
    public var columnNames: LazyMapCollection<Row, String> { lazy.map { $0.0 } }

    /// The values, from left to right.
    public var databaseValues: LazyMapCollection<Row, DatabaseValue> { lazy.map { $0.1 } }

    /// Whether there is a column of that name.
    public func hasColumn(_ columnName: String) -> Bool { index(ofColumn: columnName) != nil }

    /// The index of the leftmost column of that name.
    @usableFromInline
    package func index(ofColumn name: String) -> Int? { layout.index(of: name) }

    /// The value of a column, where the statement or the row has it.
    @inlinable  // bench: decode-rows
    package func cell(at index: Int) -> StorageCell {
        precondition(index >= 0 && index < count, "row index out of range")
        guard let positions else { return cells[index] }
        return cells[positions[index]]
    }

    package func databaseValue(at index: Int) -> DatabaseValue { DatabaseValue(copying: cell(at: index)) }

    /// Whether the value of a column is NULL.
    public func hasNull(atIndex index: Int) -> Bool { cell(at: index).kind == .null }

    /// Whether a value is not NULL, of this row or of one of its scopes: an outer join that found nothing gives
    /// NULLs only.
    public var containsNonNullValue: Bool {
        (0..<count).contains { !hasNull(atIndex: $0) } || scopes.contains { $0.row.containsNonNullValue }
    }
}

// Guard: a row that lasts is immutable once it is handed out; one of a cursor must not leave the access, like
// the cursor.
extension Row: @unchecked Sendable {}

extension Row: ExpressibleByDictionaryLiteral {
    /// A row with these columns, in this order.
    public convenience init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements.map { ($0, $1?.databaseValue ?? .null) })
    }
}

// MARK: - Collection

/// The columns with their values, from left to right.
extension Row: RandomAccessCollection {
    /// The position of a column.
    public struct Index: Comparable, Strideable, Sendable {
        let offset: Int

        public static func < (a: Index, b: Index) -> Bool { a.offset < b.offset }
        public func distance(to other: Index) -> Int { other.offset - offset }
        public func advanced(by distance: Int) -> Index { Index(offset: offset + distance) }
    }

    public var startIndex: Index { Index(offset: 0) }
    public var endIndex: Index { Index(offset: count) }

    public subscript(position: Index) -> (String, DatabaseValue) {
        let value = databaseValue(at: position.offset)
        return (layout.names[position.offset], value)
    }
}
