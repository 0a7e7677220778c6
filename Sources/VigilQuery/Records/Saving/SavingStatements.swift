import VigilEngine
import VigilRegions
import VigilStorage

/// The SQL for saving records with the same columns.
final class SavingStatements {
    let columns: [String]
    /// The positions of the primary key's columns among ``columns``; `nil` for columns not encoded.
    let keyPositions: [Int?]
    /// The condition of the rows with a primary key.
    let keyCondition: String
    private let table: String
    private let conflictResolution: SQLDialect.ConflictResolution
    /// Whether the record encodes columns computed by the database.
    private let omitsColumns: Bool
    private let keyColumns: [String]
    /// The columns other than the primary key's, in the order of the table, and their positions among
    /// ``columns``.
    private let updatable: [(column: String, position: Int)]
    private var insertions: [Database.ConflictResolution: String] = [:]
    private var latestInsertion: (conflict: Database.ConflictResolution, sql: String)?
    private var updates: [UpdateKey: Update] = [:]
    private var latestUpdate: (key: UpdateKey, update: Update)?

    struct Update {
        let sql: String
        /// The positions of the arguments among the values of the record; `nil` for values not encoded.
        let positions: [Int?]

        func arguments(_ values: [DatabaseValue]) -> [DatabaseValue] {
            positions.map { $0.map { values[$0] } ?? .null }
        }
    }

    private struct UpdateKey: Hashable {
        let columns: RequestedColumns
        let conflict: Database.ConflictResolution
    }

    init(
        columns: [String], tableName: String, primaryKey: PrimaryKeyInfo, tableColumns: [String],
        conflictResolution: SQLDialect.ConflictResolution, omitsColumns: Bool = false
    ) {
        self.columns = columns
        self.omitsColumns = omitsColumns
        self.conflictResolution = conflictResolution
        table = tableName.quotedDatabaseIdentifier
        keyColumns = primaryKey.columns
        let positions = Dictionary(
            columns.enumerated().map { (ColumnName($1), $0) }, uniquingKeysWith: { first, _ in first })
        keyPositions = keyColumns.map { positions[ColumnName($0)] }
        keyCondition = keyColumns.map { "\($0.quotedDatabaseIdentifier)=?" }.joined(separator: " AND ")
        let keys = Set(keyColumns.map { ColumnName($0) })
        updatable = tableColumns.compactMap { column in
            guard !keys.contains(ColumnName(column)), let position = positions[ColumnName(column)] else {
                return nil
            }
            return (column, position)
        }
    }

    /// Returns the SQL of an insertion. Its arguments are the values of the record.
    ///
    /// - Throws: `SQLITE_MISUSE` if there are no columns, or if the dialect lacks the resolution of
    ///   conflicts.
    func insertion(_ conflict: Database.ConflictResolution) throws -> String {
        if let latestInsertion, latestInsertion.conflict == conflict { return latestInsertion.sql }
        let sql = try insertions[conflict] ?? newInsertion(conflict)
        insertions[conflict] = sql
        latestInsertion = (conflict, sql)
        return sql
    }

    private func newInsertion(_ conflict: Database.ConflictResolution) throws -> String {
        let (verb, suffix) = try conflict.insertion(conflictResolution)
        guard !columns.isEmpty else {
            if omitsColumns { return "\(verb) INTO \(table) DEFAULT VALUES\(suffix)" }
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a record of table \(table) encodes no columns: set at least one in encode(to:)")
        }
        let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        return "\(verb) INTO \(table) (\(names)) "
            + "VALUES (\(databaseQuestionMarks(count: columns.count)))\(suffix)"
    }

    /// Returns the update of some columns. Ignores columns not encoded, and the columns of the primary key.
    ///
    /// - Throws: `SQLITE_MISUSE` if the dialect lacks the resolution of conflicts.
    func update(_ columns: RequestedColumns, onConflict conflict: Database.ConflictResolution) throws
        -> Update
    {
        if let latestUpdate, latestUpdate.key.conflict == conflict, latestUpdate.key.columns == columns {
            return latestUpdate.update
        }
        let key = UpdateKey(columns: columns, conflict: conflict)
        let update = try updates[key] ?? newUpdate(key)
        if updates.count > 100 { updates = [:] }
        updates[key] = update
        latestUpdate = (key, update)
        return update
    }

    private func newUpdate(_ key: UpdateKey) throws -> Update {
        let names = Set(key.columns.all.map { ColumnName($0) })
        let updated = updatable.filter { names.contains(ColumnName($0.column)) }
        // An UPDATE must assign at least one column. Assigning the primary key to itself also finds
        // out whether the row exists.
        let assigned = updated.isEmpty ? keyColumns : updated.map(\.column)
        let positions = updated.isEmpty ? keyPositions : updated.map(\.position)
        let assignments = assigned.map { "\($0.quotedDatabaseIdentifier)=?" }.joined(separator: ", ")
        let clause = try key.conflict.orClause(conflictResolution)
        return Update(
            sql: "UPDATE\(clause) \(table) SET \(assignments) WHERE \(keyCondition)",
            positions: positions + keyPositions)
    }
}
