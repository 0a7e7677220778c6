import VigilEngine
import VigilRegions
import VigilStorage

// Statements returning the saved rows: with RETURNING if the library has it, or else with a subsequent query
// in the same savepoint.
extension SavingPlan {
    func insert<T>(
        _ db: Database, _ encoded: EncodedRecord, onConflict conflict: Database.ConflictResolution?,
        selection: [any SQLSelectable], fetch: (Statement) throws -> T
    ) throws -> (InsertionSuccess, T) {
        let selected = try SelectedColumns(selection, tableName: tableName, db)
        // The caller reads the returned rows. So the statement can return either the row or a new key.
        if canReturnRows(db), !returnsKeys || hasWholeKey(encoded) {
            let statement = try returning(
                selected, db, sql: insertion(encoded, onConflict: conflict), values: encoded.container.values)
            let fetched = try fetch(statement)
            guard returnsKeys else { return (success(db.lastWrite.insertedRowID, encoded), fetched) }
            let inserted: InsertionSuccess =
                insertedNothing(db, onConflict: conflict)
                ? .nothing(encoded.container) : success(key: keyValues(encoded), encoded)
            return (inserted, fetched)
        }
        return try db.inSavepoint {
            var inserted = success(0, encoded)
            let count = try countChanges(db) { inserted = try insert(db, encoded, onConflict: conflict) }
            var (condition, key) = (encoded.statements.keyCondition, keyValues(encoded))
            if let rowID = primaryKey.rowIDName {
                (condition, key) = (
                    "\(rowID.quotedDatabaseIdentifier)=?", [inserted.rowID.databaseValue]
                )
            } else if returnsKeys {
                key = primaryKey.columns.map { inserted.persistenceContainer.databaseValue(of: $0) }
            }
            // A row skipped because of a conflict is not returned.
            if count == 0 { (condition, key) = (db.dialect.booleanLiterals.negative, []) }
            return (inserted, try fetch(query(selected, db, where: condition, key: key)))
        }
    }

    func update<T>(
        _ db: Database, _ encoded: EncodedRecord, columns: RequestedColumns,
        onConflict conflict: Database.ConflictResolution?, selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> (PersistenceSuccess, T) {
        let selected = try SelectedColumns(selection, tableName: tableName, db)
        if canReturnRows(db) {
            let update = try update(encoded, columns: columns, onConflict: conflict)
            let statement = try returning(
                selected, db, sql: update.sql, values: update.arguments(encoded.container.values))
            var fetched: T?
            let count = try countChanges(db) { fetched = try fetch(statement) }
            guard let fetched, count > 0 else { throw recordNotFound(encoded) }
            return (PersistenceSuccess(updated: encoded.container), fetched)
        }
        return try db.inSavepoint {
            let updated = try update(db, encoded, columns: columns, onConflict: conflict)
            let (condition, key) = (encoded.statements.keyCondition, keyValues(encoded))
            return (updated, try fetch(query(selected, db, where: condition, key: key)))
        }
    }

    func upsert<T>(
        _ db: Database, _ encoded: EncodedRecord, with upsert: Upsert, selection: [any SQLSelectable],
        decode: (Row) throws -> T
    ) throws -> (InsertionSuccess, T) {
        try db.require(upsert.feature)
        try db.require(.returning)
        let original = encoded
        let encoded = returnsKeys ? withoutNullKey(encoded) : encoded
        let (sql, arguments) = try upsert.clause(
            db, columns: encoded.container.columns, tableName: tableName, primaryKey: primaryKey)
        var selection = selection
        // The row id, or the primary key, is in the last columns.
        if returnsKeys {
            selection += primaryKey.columns.map { Column($0) }
        } else if let rowID = primaryKey.rowIDName {
            selection.append(Column(rowID))
        }
        if selection.isEmpty, let column = primaryKey.columns.first ?? columns.first {
            selection.append(Column(column))
        }
        let selected = try SelectedColumns(selection, tableName: tableName, db)
        let statement = try returning(
            selected, db, sql: encoded.statements.insertion(.abort) + sql, values: encoded.container.values,
            arguments: arguments)
        guard let row = try Row.fetchOne(statement) else {
            throw DatabaseError(message: "the upsert returned no row", sql: statement.sql)
        }
        if returnsKeys {
            let key = (row.count - primaryKey.columns.count..<row.count).map { row[$0] as DatabaseValue }
            return (success(key: key, original), try decode(row))
        }
        let rowID =
            primaryKey.rowIDName == nil
            ? db.lastWrite.insertedRowID : try row.decode(Int64.self, atIndex: row.count - 1)
        return (success(rowID, encoded), try decode(row))
    }

    /// Returns whether insertions and updates can return rows. Virtual tables return the inserted values,
    /// with -1 for a new row id, instead of the stored row, and nothing for updates.
    private func canReturnRows(_ db: Database) -> Bool { db.supports(.returning) && kind != .virtual }

    private func returning(
        _ selected: SelectedColumns, _ db: Database, sql: String, values: [DatabaseValue],
        arguments: StatementArguments = StatementArguments()
    ) throws -> Statement {
        let statement = try db.leaseStatement(sql: "\(sql) RETURNING \(selected.sql)")
        try statement.setArguments(
            StatementArguments(databaseValues: values) + arguments + selected.arguments)
        return statement
    }

    private func query(
        _ selected: SelectedColumns, _ db: Database, where condition: String, key: [DatabaseValue]
    ) throws -> Statement {
        guard !condition.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the columns of table \(tableName) hide its row ids: declare a primary key")
        }
        let table = tableName.quotedDatabaseIdentifier
        let statement = try db.leaseStatement(
            sql: "SELECT \(selected.sql) FROM \(table) WHERE \(condition)")
        try statement.setArguments(selected.arguments + StatementArguments(databaseValues: key))
        return statement
    }
}

/// The SQL of selections from a single table.
private struct SelectedColumns {
    let sql: String
    let arguments: StatementArguments

    /// - Throws: `SQLITE_MISUSE` if there are no selections.
    init(_ selection: [any SQLSelectable], tableName: String, _ db: Database) throws {
        guard !selection.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the selection of the saved row is empty: select a column")
        }
        var writer = SQLWriter(db)
        let table = TableReference(tableName: tableName, name: tableName, isQualified: false)
        try writer.with(table: table) {
            try $0.write(selection.map(\.sqlSelection), of: QueryTable.named(tableName, db))
        }
        sql = writer.sql
        arguments = writer.arguments
    }
}

extension Database {
    /// Runs `work` in a savepoint, and rolls it back if it throws.
    fileprivate func inSavepoint<T>(_ work: () throws -> T) throws -> T {
        var result: T?
        try inSavepoint {
            result = try work()
            return .commit
        }
        guard let result else { trap("the work of the savepoint did not run") }
        return result
    }
}
