import VigilStorage

struct SimulatedDefinition: Sendable {
    struct Column: Sendable {
        var name: String
        var type: String
        var isNotNull: Bool
        var isUnique: Bool
        var isPrimaryKey: Bool
        var affinity: SimulatedAffinity
    }

    let name: TableName
    let columns: [Column]
    let sql: String
    /// The position of the row id's alias.
    let rowIDColumn: Int?
    /// The positions of the columns with unique values, without the row id.
    let uniqueColumns: [Int]

    init(_ form: SQLTableDefinition) throws(StorageError) {
        name = TableName(name: form.name)
        columns = form.columns.map {
            Column(
                name: $0.name, type: $0.type, isNotNull: $0.isNotNull, isUnique: $0.isUnique,
                isPrimaryKey: $0.isPrimaryKey, affinity: SimulatedAffinity(declaredType: $0.type))
        }
        sql = form.sql
        let key = columns.firstIndex { $0.isPrimaryKey && $0.type.isSameName(as: "INTEGER") }
        rowIDColumn = key
        uniqueColumns = columns.enumerated()
            .filter { $0.offset != key && ($0.element.isPrimaryKey || $0.element.isUnique) }
            .map(\.offset)
        var seen: Set<String> = []
        for column in columns where !seen.insert(column.name.foldedName).inserted {
            throw StorageError(.error, "duplicate column name: \(column.name)")
        }
    }

    /// Returns the position of a column. Names are not case sensitive.
    func column(_ name: String) throws(StorageError) -> Int {
        guard let index = columns.firstIndex(where: { $0.name.isSameName(as: name) }) else {
            throw StorageError(.error, "no such column: \(name)")
        }
        return index
    }

    var columnNames: [String] { columns.map(\.name) }

    var storageTable: StorageTable {
        StorageTable(
            name: name, kind: .table,
            columns: columns.map {
                StorageTable.Column(
                    name: $0.name, type: $0.type, isNotNull: $0.isNotNull,
                    primaryKeyIndex: $0.isPrimaryKey ? 1 : 0)
            },
            hasRowID: true)
    }

    // MARK: Constraints

    var rowIDConflict: StorageError {
        guard let rowIDColumn else {
            return StorageError(.rowIDConstraint, "UNIQUE constraint failed: \(name.name).rowid")
        }
        return StorageError(
            .primaryKeyConstraint, "UNIQUE constraint failed: \(name.name).\(columns[rowIDColumn].name)")
    }

    func uniqueConflict(_ column: Int) -> StorageError {
        StorageError(
            columns[column].isPrimaryKey ? .primaryKeyConstraint : .uniqueConstraint,
            "UNIQUE constraint failed: \(name.name).\(columns[column].name)")
    }

    /// Returns an error if the row contains NULL in a NOT NULL column.
    func missingValue(in values: [StorageValue]) -> StorageError? {
        for (column, value) in zip(columns, values) where column.isNotNull && value == .null {
            return StorageError(
                .notNullConstraint, "NOT NULL constraint failed: \(name.name).\(column.name)")
        }
        return nil
    }
}

/// SQLite's result codes for the constraints and locks of the simulation.
extension StorageError.Code {
    static let commitHookConstraint = Self(rawValue: 19 | 2 << 8)
    static let notNullConstraint = Self(rawValue: 19 | 5 << 8)
    static let primaryKeyConstraint = Self(rawValue: 19 | 6 << 8)
    static let uniqueConstraint = Self(rawValue: 19 | 8 << 8)
    static let rowIDConstraint = Self(rawValue: 19 | 10 << 8)
    static let typeMismatch = Self(rawValue: 20)
    static let staleSnapshot = Self(rawValue: 5 | 2 << 8)
}
