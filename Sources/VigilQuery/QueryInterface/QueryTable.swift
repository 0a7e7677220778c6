import VigilEngine
import VigilRegions
import VigilStorage

/// The properties of a table needed by requests. They are cached until the schema changes.
final class QueryTable {
    let name: String
    /// The metadata; `nil` without such a table or view, and for a common table expression.
    let metadata: StorageTable?
    /// The primary key; `nil` for views without one.
    let primaryKey: PrimaryKeyInfo?
    /// The columns of the primary key and of unique indexes.
    private let uniqueKeys: [[String]]
    /// The primary key, and the unique indexes of columns without NULL.
    private let keysWithoutNull: [[String]]
    private let columnNames: Set<ColumnName>
    /// Whether the name stands for an ordinary table.
    let isTable: Bool
    /// The names of the row id as a column.
    private let rowIDNames: [String]
    var builtQueries = BuiltQueries()
    /// Returns the columns of a common table expression; `nil` for tables and views.
    private let expressionColumns: (() throws -> [String])?

    /// Creates the properties of a common table expression.
    init(tableExpression name: String, columns: @escaping () throws -> [String]) {
        self.name = name
        expressionColumns = columns
        metadata = nil
        primaryKey = nil
        uniqueKeys = []
        keysWithoutNull = []
        columnNames = []
        isTable = false
        rowIDNames = []
    }

    private init(name: String, _ db: Database) throws {
        self.name = name
        expressionColumns = nil
        metadata = try db.table(named: name)
        let columnNames = Set((metadata?.columns ?? []).map { ColumnName($0.name) })
        self.columnNames = columnNames
        isTable = metadata?.kind == .table
        guard let metadata else {
            primaryKey = nil
            uniqueKeys = []
            keysWithoutNull = []
            rowIDNames = []
            return
        }
        let schema = metadata.name.schema
        let isView = metadata.kind == .view
        primaryKey = isView ? try? db.primaryKey(name, in: schema) : try db.primaryKey(name, in: schema)
        let keys = [primaryKey?.columns ?? []].filter { !$0.isEmpty }
        let indexes =
            isView
            ? [] : try db.indexes(on: name, in: schema).filter { $0.isUnique && !$0.isPartial }.map(\.columns)
        uniqueKeys = keys + indexes
        let notNull = Set(metadata.columns.filter(\.isNotNull).map { ColumnName($0.name) })
        keysWithoutNull = keys + indexes.filter { $0.allSatisfy { notNull.contains(ColumnName($0)) } }
        let hasRowID = metadata.kind == .table && metadata.hasRowID
        rowIDNames =
            hasRowID
            ? db.dialect.rowIDColumns.filter { !columnNames.contains(ColumnName($0)) }
                + (primaryKey?.rowIDColumn.map { [$0] } ?? [])
            : []
    }

    /// Returns the table, view or common table expression with a name.
    static func named(_ name: String, _ db: Database) throws -> QueryTable {
        if let expression = db.tableExpression(named: name) { return expression }
        return try db.derivedFromSchema(ofTable: name) { try QueryTable(name: name, db) }
    }

    var isView: Bool { metadata?.kind == .view }

    var isTableExpression: Bool { expressionColumns != nil }

    /// The columns, in the order of their declaration.
    ///
    /// - Throws: `DatabaseError` if the table does not exist.
    func columns() throws -> [String] {
        if let expressionColumns { return try expressionColumns() }
        guard let metadata else { throw DatabaseError.noSuchTable(name) }
        return metadata.columns.map(\.name)
    }

    /// Returns whether a column is the row id, under one of its names.
    func isRowID(_ column: String) -> Bool {
        rowIDNames.contains { $0.isSameName(as: column) }
    }

    /// Returns the conversion applied by comparisons with a column.
    func affinity(of column: String) -> ColumnAffinity {
        if isRowID(column) { return .numeric }
        return ColumnAffinity(declaredType: declaredType(of: column) ?? "") ?? .none
    }

    /// Returns the declared type of a column; `nil` if it is unknown.
    func declaredType(of column: String) -> String? {
        metadata?.columns.first { $0.name.isSameName(as: column) }?.type
    }

    /// Returns a unique key among the given columns, or `nil` if they do not identify a row.
    func uniqueKey(among columns: some Collection<String>) -> [String]? {
        key(among: columns, of: uniqueKeys)
    }

    /// Returns whether each group by the given columns has one row. All rows with NULL in a unique index are
    /// in one group.
    func hasOneRow(inGroupsBy columns: some Collection<String>) -> Bool {
        key(among: columns, of: keysWithoutNull) != nil
    }

    private func key(among columns: some Collection<String>, of keys: [[String]]) -> [String]? {
        let names = Set(columns.map { ColumnName($0) })
        guard !names.isEmpty else { return nil }
        if columns.count == 1, let column = columns.first, isRowID(column) { return [column] }
        return keys.first { key in key.allSatisfy { names.contains(ColumnName($0)) } }
    }

    /// The name of the row id, if no column is an alias of it.
    var hiddenRowID: String? { primaryKey?.rowIDColumn == nil ? primaryKey?.rowIDName : nil }

    /// Returns the only column of the primary key.
    ///
    /// - Throws: `DatabaseError` if the table does not exist, or has no primary key of one column.
    func primaryKeyColumn() throws -> String {
        let columns = try primaryKeyColumns()
        guard columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    the primary key of table \(name) has several columns (\(columns.joined(separator: ", "))): \
                    use a dictionary as key
                    """)
        }
        return columns[0]
    }

    /// Returns the columns of the primary key.
    ///
    /// - Throws: `DatabaseError` if the table does not exist or has no primary key.
    func primaryKeyColumns() throws -> [String] {
        if let columns = primaryKey?.columns, !columns.isEmpty { return columns }
        guard metadata != nil else { throw missingKeyError }
        guard !isView else { throw DatabaseError.viewWithoutPrimaryKey(name) }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "table \(name) has no primary key")
    }

    /// The error for a key of an object other than a table or a view.
    private var missingKeyError: DatabaseError {
        guard isTableExpression else { return DatabaseError.noSuchTable(name) }
        return DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the common table expression \(name) has no primary key: use its columns instead")
    }

    /// Checks that the rows may be deleted and updated.
    func checkMayBeWritten() throws {
        guard isTableExpression else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the rows of the common table expression \(name) cannot be deleted or updated: "
                + "use a request of the table that contains them")
    }

    /// Returns the condition for a row to have a key.
    ///
    /// - Throws: `DatabaseError` with the names of the table and the columns if they do not identify a row.
    func condition(forKey key: [String: DatabaseValue]) throws -> SQLExpression {
        guard metadata != nil else { throw missingKeyError }
        guard let unique = uniqueKey(among: key.keys) else {
            let names = key.keys.sorted()
            let unknown = names.filter { !columnNames.contains(ColumnName($0)) && !isRowID($0) }
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: unknown.isEmpty
                    ? "table \(name) has no unique key on column(s) \(names.joined(separator: ", "))"
                    : "table \(name) has no column \(unknown.joined(separator: ", "))")
        }
        let positions = Dictionary(
            unique.enumerated().map { (ColumnName($1), $0) }, uniquingKeysWith: { first, _ in first })
        let ordered = key.sorted { a, b in
            let (i, j) = (positions[ColumnName(a.key)] ?? .max, positions[ColumnName(b.key)] ?? .max)
            return i == j ? a.key < b.key : i < j
        }
        return .chain(
            .and,
            ordered.map { .equal(SQLExpression(.column($0.key)), SQLExpression(.value($0.value))) })
    }
}
