import VigilEngine
import VigilRegions
import VigilStorage

/// The update of the conflicting row by an upsert.
struct Upsert {
    private let conflictTarget: [String]
    private let strategy: UpsertUpdateStrategy
    private let assignments: [ColumnAssignment]

    init(
        onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        assignments: [ColumnAssignment]? = nil
    ) {
        self.conflictTarget = conflictTarget
        self.strategy = strategy
        self.assignments = assignments ?? []
    }

    /// The feature of the library needed by the upsert, besides RETURNING.
    var feature: LibraryFeature { conflictTarget.isEmpty ? .upsertOnAnyConflict : .upsert }

    /// Returns the clause after an insertion: ` ON CONFLICT("id") DO UPDATE SET "name" = "excluded"."name"`.
    func clause(
        _ db: Database, columns: [String], tableName: String, primaryKey: PrimaryKeyInfo
    ) throws -> (sql: String, arguments: StatementArguments) {
        var writer = SQLWriter(db)
        writer.write(" ON CONFLICT")
        let target = try target(db, tableName: tableName, primaryKey: primaryKey)
        if !target.isEmpty {
            writer.write("(\(target.map(\.quotedDatabaseIdentifier).joined(separator: ", ")))")
        }
        writer.write(" DO UPDATE SET ")
        let updated = assignments.filter { $0.value != nil } + overwrites(columns, primaryKey)
        let isQualified = db.dialect.upserts == .namedConflict
        let table = TableReference(tableName: tableName, name: tableName, isQualified: isQualified)
        try writer.with(table: isQualified ? table : nil) { writer in
            for (index, assignment) in updated.enumerated() {
                if index > 0 { writer.write(", ") }
                try assignment.write(to: &writer)
            }
            if updated.isEmpty, let column = primaryKey.columns.first ?? target.first ?? columns.first {
                // Without an update, RETURNING would not return the row.
                try Column(column).set(to: Column(column)).write(to: &writer)
            }
        }
        return (writer.sql, writer.arguments)
    }

    /// Returns the columns of the unique key of the conflict; empty for any key.
    ///
    /// - Throws: `SQLITE_MISUSE` if the dialect needs a key, and the table has no primary key.
    private func target(_ db: Database, tableName: String, primaryKey: PrimaryKeyInfo) throws -> [String] {
        guard conflictTarget.isEmpty, db.dialect.upserts == .namedConflict else { return conflictTarget }
        guard !primaryKey.columns.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "table \(tableName) has no primary key: name the columns of a unique key in onConflict")
        }
        return primaryKey.columns
    }

    /// Returns the assignments of inserted values to the columns without an explicit assignment.
    private func overwrites(_ columns: [String], _ primaryKey: PrimaryKeyInfo) -> [ColumnAssignment] {
        guard strategy.contains(.allColumns) else { return [] }
        let excluded = TableAlias(name: "excluded")
        let kept = Set(
            (primaryKey.columns + conflictTarget + assignments.map(\.column)).map { ColumnName($0) })
        return columns.filter { !kept.contains(ColumnName($0)) }
            .map { Column($0).set(to: excluded[Column($0)]) }
    }
}
